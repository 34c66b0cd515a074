// Has fetch and WebSocket honour the proxy variables, as NODE_USE_ENV_PROXY=1 does in newer Nodes:
//
//   node --import=./proxied.mjs program.mjs
import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici'

setGlobalDispatcher(new EnvHttpProxyAgent())
