// Vite, its WebSocket and the tools of Nuxt and Nitro respond before our server. This applies the rules about names, machines and
// other sites to them too.
import type { IncomingMessage } from 'node:http'
import type { useNuxt } from '@nuxt/kit'
import { type App, defineEventHandler } from 'h3'
import { allowedHosts } from '../../server/kernel/config/environment'
import { readEnv } from '../../server/kernel/config/env'
import { newRequestId } from '../../server/kernel/crypto/random'
import { type AppError, PROBLEM_MEDIA_TYPE, toAppError, toProblem } from '../../server/kernel/http/app-error'
import { checkHost, checkOwnPage } from '../../server/kernel/http/check-origin'
import { checkOwnMachine, ownMachineFault } from '../../server/kernel/http/own-machine'
import { canonicalTarget } from '../../server/kernel/http/request-info'
import { isLoopbackAuthority } from '../../shared/loopback'
import { isExposed, type Listening } from './environment'

/** Nitro's view of the build and Nuxt DevTools. Vite's own tools have a route among its middlewares (`/__open-in-editor`). */
const TOOLS = ['/_vfs', '/__nuxt_devtools__', '/__nuxt_inspect', '/__inspect']

interface Gate {
  /** Whether the developer has opened the server to other machines. */
  isExposed: boolean
  allowedHosts: ReadonlySet<string> | null
  vite?: Vite
}

/** The parts of Vite's server for browsers that this file uses. */
interface Vite {
  config: { base: string }
  middlewares: { stack: { route: string }[] }
}

/** Adds the gate in front of the development server. Call `open` once the server listens. */
export function guardRequests(nuxt: ReturnType<typeof useNuxt>): { open(listening: Listening): void } {
  const gate: Gate = { isExposed: false, allowedHosts: new Set() }
  const knowHosts = () => allowedHosts({ ...readEnv(process.env), NODE_ENV: 'development' })
  // Vite has a separate list of hosts, which must include those that we allow.
  nuxt.hook('vite:extendConfig', config => {
    const { server = {} } = config
    if (server.allowedHosts !== true) server.allowedHosts = [...(server.allowedHosts ?? []), ...(knowHosts() ?? [])]
    Object.assign(config, { server })
  })
  nuxt.hook('vite:serverCreated', (vite, { isClient }) => {
    if (!isClient) return
    gate.vite = vite
    // Pages on other machines receive changes, but their messages are ignored: DevTools listen on the same socket.
    vite.ws.on('connection', (socket, request) => {
      if (ownMachineFault(request, { isOwnMachine: !gate.isExposed }) !== undefined)
        queueMicrotask(() => socket.removeAllListeners('message'))
    })
  })
  nuxt.hook('ready', ({ server }) => {
    const { app }: { app: App } = server
    const { handler } = app
    app.handler = defineEventHandler(event => {
      const { req, res } = event.node
      const fault = faultOf(req, gate)
      if (!fault) {
        // Vite would find the same file under other spellings, so our server uses this normalized one too.
        req.url = canonicalTarget(req.url ?? '/')
        return handler(event)
      }
      res.writeHead(fault.status, { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store' })
      res.end(JSON.stringify(toProblem(fault, newRequestId())))
    })
  })
  nuxt.hook('listen', server => {
    // The handlers of Vite and of the application run after this one, on a closed socket.
    server.prependListener('upgrade', (req, socket) => void (faultOf(req, gate) && socket.destroy()))
  })
  return {
    open(listening) {
      Object.assign(gate, { isExposed: isExposed(listening), allowedHosts: knowHosts() })
    },
  }
}

function faultOf(req: IncomingMessage, gate: Gate): AppError | undefined {
  try {
    checkHost(req, gate)
    checkDevelopment(req, gate)
    return undefined
  } catch (thrown) {
    return toAppError(thrown)
  }
}

/**
 * Throws `forbidden` for requests to Vite and to the tools from another site's page or from another machine. If the developer has
 * opened the server (`--host`, `--tunnel`, a name in FW_ALLOWED_HOSTS), other machines may also load the modules of pages. They
 * may never use the tools.
 */
function checkDevelopment(req: IncomingMessage, { isExposed, vite }: Gate): void {
  const { isModule, isTool } = kindOf(req, vite)
  if (!isModule && !isTool) return
  const isOpened = isExposed || !isLoopbackAuthority(req.headers.host)
  if (isTool || !isOpened) checkOwnMachine(req, { isOwnMachine: !isExposed })
  checkOwnPage(req, process.env.FW_BASE_URL ?? '')
}

/** Whether a request is for a Vite module or for a tool. Vite serves them at the root and below its base. */
function kindOf({ url = '/' }: IncomingMessage, vite: Vite | undefined) {
  const base = vite?.config.base.replace(/\/$/, '') ?? '/_nuxt'
  const path = canonicalTarget(url).toLowerCase()
  const isModule = path.startsWith(base) && ['', '/', '?'].includes(path.charAt(base.length))
  const inVite = isModule ? path.slice(base.length) : path
  const routes = vite?.middlewares.stack.map(({ route }) => route.toLowerCase()).filter(route => route.length > 1)
  return { isModule, isTool: [...TOOLS, ...(routes ?? [])].some(tool => inVite.startsWith(tool)) }
}
