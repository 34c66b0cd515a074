// Asks a Dialpoint service what to dial, over its unix socket. Needs Node 18 or later and no packages.
//
//   node unix.mjs [CHANNEL [SECONDS]]
//
// The service is looked for at DIALPOINT_ADDR (unix:///path), else at the default socket, for SECONDS (30). Copy
// resolve() and what it calls into your program.
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const procedure = '/dialpoint.v1.EndpointService/ResolveEndpoints'

/** What to dial: {gateway, sidecar, explanation, …}. It waits for the service, and for the dashboard to listen. */
async function resolve(channel, seconds) {
  const path = socketPath()
  const deadline = Date.now() + 1000 * seconds
  let waiting = false
  // Pauses grow and are drawn by chance, so that children that start together do not come back together.
  for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
    const { endpoints, problem } = await ask(path, channel, Math.max(deadline - Date.now(), 0))
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
async function ask(path, channel, left) {
  // The service holds the call until the dashboard listens. It allows 5 minutes a call.
  const wait = `${(Math.min(left, 300_000) / 1000).toFixed(3)}s`
  let answer
  try {
    // Two seconds more than the service has, so that its answer, which says what is missing, comes first.
    answer = await post(path, { channel, wait }, left + 2000)
  } catch (error) {
    return { problem: `no answer at ${path}: ${error.message}; start 'dialpoint serve', or say in DIALPOINT_ADDR where it is` }
  }
  const body = parse(answer.text)
  if (answer.status === 200 && body?.endpoints?.gateway) return { endpoints: body.endpoints }
  if (['unavailable', 'resource_exhausted'].includes(body?.code)) return { problem: body.message }
  throw new Error(body?.code ? `${body.code}: ${body.message}` : `HTTP status ${answer.status}: is it Dialpoint that listens at ${path}?`)
}

function post(socketPath, body, timeout) {
  return new Promise((resolve, reject) => {
    const request = http.request({
      socketPath,
      path: procedure,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      // An agent of our own: NODE_USE_ENV_PROXY puts a proxy into the global one.
      agent: new http.Agent(),
      signal: AbortSignal.timeout(timeout),
    }, async (response) => {
      try {
        let text = ''
        for await (const part of response.setEncoding('utf8')) text += part
        resolve({ status: response.statusCode, text })
      } catch (error) {
        reject(error)
      }
    })
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}

/** The answer, or undefined. The parser's own error would quote the text, which holds a credential. */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The path in DIALPOINT_ADDR, else the default socket, where the service listens unless it is told otherwise. */
function socketPath() {
  const { DIALPOINT_ADDR = '', XDG_RUNTIME_DIR = '', TMPDIR = '' } = process.env
  const address = DIALPOINT_ADDR.trim()
  if (/^unix:\/\/\/[^,]+$/.test(address)) return address.slice('unix://'.length)
  if (address) throw new Error('DIALPOINT_ADDR must be one address of the form unix:///path here; fetch.mjs takes http(s)://host:port')
  const runtime = XDG_RUNTIME_DIR.trim()
  if (runtime.startsWith('/')) return join(runtime, 'dialpoint/dialpoint.sock')
  if (process.getuid() === 0) return '/run/dialpoint/dialpoint.sock'
  return join(TMPDIR.trim() || '/tmp', `dialpoint-${process.getuid()}`, 'dialpoint.sock')
}

try {
  const [channel = '', seconds = '30'] = process.argv.slice(2)
  const { gateway, sidecar } = await resolve(channel, Number(seconds) || 30)
  // Your program connects here: new WebSocket(gateway.url). Keep the URL: it is good for every reconnect.
  // It holds a credential, so only displayUrl may be printed.
  console.log(`gateway ${gateway.displayUrl}`)
  if (sidecar) console.log(`sidecar ${sidecar.displayUrl}`)
} catch (error) {
  console.error(`child: ${error.message}`)
  process.exitCode = 1
}
