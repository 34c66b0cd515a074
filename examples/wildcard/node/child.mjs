// A child that knows nothing of Dialpoint: it reads HERMES_TUI_GATEWAY_URL once and connects to it, as the TUI of Hermes
// does. Its WebSocket honours the proxy variables, as every child's does under NODE_USE_ENV_PROXY: that is undici's
// EnvHttpProxyAgent, built into Node. ALL_PROXY counts where there is no HTTP_PROXY.
import { EnvHttpProxyAgent, WebSocket } from 'undici'

const { env } = process
const url = new URL(env.HERMES_TUI_GATEWAY_URL)
const httpProxy = env.http_proxy || env.HTTP_PROXY || env.all_proxy || env.ALL_PROXY

const shown = new URL(url)
if (shown.searchParams.has('token')) shown.searchParams.set('token', 'REDACTED')
console.log(`dialling ${shown}`)

// Until the gateway has said something, the child has failed.
process.exitCode = 1
const socket = new WebSocket(url, { dispatcher: new EnvHttpProxyAgent({ httpProxy }) })
socket.addEventListener('message', ({ data }) => {
  console.log(`connected: ${JSON.parse(data).params.type}`)
  process.exitCode = 0
  socket.close()
})
// The event does not say why: a WebSocket does not tell (WebSockets Standard, "fail the WebSocket connection").
socket.addEventListener('error', () => console.log('gateway websocket connection failed'))
