import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp, createRouter, eventHandler, lazyEventHandler, toNodeListener, type EventHandler } from 'h3'
import { handlers } from '#fw/handlers'
import { aroundRequests } from '../server/enter-request'
import answerFailure from '../server/error-handler'
import type { App } from '../server/kernel/app-context'
import { AppError } from '../server/kernel/http/app-error'
import { pagePath } from '../server/kernel/http/request-info'

/** Handles the requests of a test application. */
export interface Edge {
  /** Opens the socket now instead of with the first request. */
  open(): Promise<unknown>
  /** Sends a request to the application's own address; does not follow redirects. */
  fetch(path: string | URL, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/**
 * Mounts the routes and middleware of the platform and the application over an app context, as Nitro does. They listen on a
 * loopback socket, by default on a free port, that opens with the first request. Pages are not rendered: their paths return
 * `not-found`.
 */
export function createEdge(app: App, mounted = handlers, { port = 0, host = '127.0.0.1' } = {}): Edge {
  const server = createServer(toNodeListener(mount(app, mounted)))
  server.unref()
  let opening: Promise<string> | undefined
  const open = () =>
    (opening ??= new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve(`http://${host}:${(server.address() as AddressInfo).port}`))
    }))
  const { baseUrl } = app.config
  return {
    open,
    async fetch(path, init = {}) {
      const url = new URL(path, baseUrl)
      if (url.origin !== baseUrl) throw new TypeError(`${url.origin} is not this application; it is at ${baseUrl}`)
      return fetch((await open()) + url.pathname + url.search, { redirect: 'manual', ...init })
    },
    async close() {
      if (!opening) return
      await opening
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function mount(app: App, mounted: typeof handlers) {
  const h3 = createApp({
    async onError(error, event) {
      try {
        await answerFailure(error, event, { defaultHandler: notOurs })
      } catch (thrown) {
        // An author's layout also wraps error pages, so it can throw here.
        app.log.error('the page of a failure failed', { error: thrown })
        event.node.res.writeHead(500, { 'content-type': 'text/plain' }).end(String(thrown))
      }
    },
  })
  const router = createRouter({ preemptive: true })
  for (const { route, method, load } of mounted) {
    const handler = lazyEventHandler(async () => (await load()).default)
    if (route === undefined) h3.use('/', handler)
    else router.use(route, handler, method)
  }
  router.use('/**', noPage)
  h3.use('/', router.handler)
  h3.handler = aroundRequests(app, h3.handler)
  return h3
}

// Responds to unknown routes as the build does, but renders no pages (plugins/30.shell).
const noPage: EventHandler = eventHandler(event => {
  throw new AppError('not-found', {
    detail: `No route answers ${pagePath(event)}. Pages are shown by the built application alone.`,
  })
})

const notOurs = () => {
  throw new Error('the error handler left the answer to somebody else')
}
