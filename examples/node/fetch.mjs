// Asks a Dialpoint service what to dial, with fetch over TCP. Needs Node 18 or later and no packages.
//
//   DIALPOINT_ADDR=http://127.0.0.1:9118 node fetch.mjs [CHANNEL [SECONDS]]
//
// The service is looked for during SECONDS (30). It is shown the token in the file that DIALPOINT_TOKEN_FILE names, else the
// one in DIALPOINT_TOKEN. On the service's own machine prefer unix.mjs: a socket is open to its owner alone, and needs no
// token. Copy resolve() and what it calls into your program.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const procedure = '/dialpoint.v1.EndpointService/ResolveEndpoints'

/** What to dial: {gateway, sidecar, explanation, …}. It waits for the service, and for the dashboard to listen. */
async function resolve(channel, seconds) {
  const address = serviceAddress()
  addToNoProxy(new URL(address).hostname)
  const deadline = Date.now() + 1000 * seconds
  let waiting = false
  // Pauses grow and are drawn by chance, so that children that start together do not come back together.
  for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
    const { endpoints, problem } = await ask(address, channel, Math.max(deadline - Date.now(), 0))
    if (endpoints) return endpoints
    if (Date.now() >= deadline) {
      throw new Error(`nothing to dial within ${seconds} s: ${problem}`)
    }
    if (!waiting) console.error(`waiting: ${problem}`)
    waiting = true
    await sleep(Math.min(pause * (0.5 + Math.random() / 2), Math.max(deadline - Date.now(), 0)))
  }
}

/** One call: the endpoints, or a problem that may pass. Throws what asking again would not change. */
async function ask(address, channel, left) {
  // The service holds the call until the dashboard listens. It allows 5 minutes a call.
  const wait = `${(Math.min(left, 300_000) / 1000).toFixed(3)}s`
  let status, text
  try {
    const response = await fetch(address + procedure, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...await authorization() },
      body: JSON.stringify({ channel, wait }),
      redirect: 'error',
      // Two seconds more than the service has, so that its answer, which says what is missing, comes first.
      signal: AbortSignal.timeout(left + 2000),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    // What fetch says is "fetch failed": the reason is in the cause.
    const reason = error.cause?.message || error.cause?.code || error.message
    return { problem: `no answer at ${address}: ${reason}; start 'dialpoint serve', or say in DIALPOINT_ADDR where it is` }
  }
  const body = parse(text)
  if (status === 200 && body?.endpoints?.gateway) return { endpoints: body.endpoints }
  if (['unavailable', 'resource_exhausted'].includes(body?.code)) return { problem: body.message }
  throw new Error(body?.code ? `${body.code}: ${body.message}` : `HTTP status ${status}: is it Dialpoint that listens at ${address}?`)
}

/** The header that shows the service who calls. It is read for each call: a token may come late, or change. */
async function authorization() {
  const { DIALPOINT_TOKEN_FILE = '', DIALPOINT_TOKEN = '' } = process.env
  const file = DIALPOINT_TOKEN_FILE.trim()
  const token = (file ? await readFile(file, 'utf8') : DIALPOINT_TOKEN).trim()
  if (!file && !token) return {}
  // fetch would quote what fits into no header.
  if (!/^[\w.~+/-]+=*$/.test(token)) throw new Error(`there is no token in ${file || 'DIALPOINT_TOKEN'}`)
  return { Authorization: `Bearer ${token}` }
}

/** The answer, or undefined. The parser's own error would quote the text, which holds a credential. */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function serviceAddress() {
  const address = (process.env.DIALPOINT_ADDR ?? '').trim()
  if (/^https?:\/\/(\[[0-9a-f:.]+\]|[\w.-]+):\d+\/?$/i.test(address)) return address.replace(/\/$/, '')
  throw new Error('DIALPOINT_ADDR must be one address of the form http(s)://host:port here, as in http://127.0.0.1:9118; unix.mjs takes a socket')
}

/**
 * Keeps this process's fetch and WebSocket from using a proxy for a host. They use one under NODE_USE_ENV_PROXY or
 * undici's EnvHttpProxyAgent, which read these variables at each call.
 */
function addToNoProxy(host) {
  const value = process.env.no_proxy || process.env.NO_PROXY
  process.env.no_proxy = process.env.NO_PROXY = value ? `${value},${host}` : host
}

try {
  const [channel = '', seconds = '30'] = process.argv.slice(2)
  const { gateway, sidecar } = await resolve(channel, Number(seconds) || 30)
  // Before you connect, keep the dashboard's host from the proxy too. URL.hostname has the brackets that undici wants
  // around an IPv6 address.
  addToNoProxy(new URL(gateway.url).hostname)
  // Your program connects here: new WebSocket(gateway.url). Keep the URL: it is good for every reconnect.
  // It holds a credential, so only displayUrl may be printed.
  console.log(`gateway ${gateway.displayUrl}`)
  if (sidecar) console.log(`sidecar ${sidecar.displayUrl}`)
} catch (error) {
  console.error(`child: ${error.message}`)
  process.exitCode = 1
}
