import {
  createApp,
  createRouter,
  defineEventHandler,
  type EventHandler,
  setResponseHeaders,
  setResponseStatus,
  toNodeListener,
} from 'h3'
import { withRequestRun } from '#fairway/server/domains/sessions'
import { OAuthError, toOAuthAnswer } from '#fairway/server/domains/oauth-server'
import { toAppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { App } from '#fairway/server/kernel/app-context'
import { serveListener } from './web-server'

/** Serves handlers of this app context on a free port; the app's base URL must be `http://localhost:<port>` of `freePort`. */
export async function serveHandlers(
  app: App,
  { middleware = [], routes }: { middleware?: EventHandler[]; routes: Record<string, EventHandler> },
  listenOn = Number(new URL(app.config.baseUrl).port),
) {
  const h3 = createApp({
    onError(error, event) {
      const refusal = [error, error.cause].find(each => each instanceof OAuthError)
      if (refusal) {
        const { status, headers, body } = toOAuthAnswer(refusal)
        setResponseStatus(event, status)
        setResponseHeaders(event, { ...headers, 'content-type': 'application/json' })
        return event.node.res.end(JSON.stringify(body))
      }
      const known = toAppError(error)
      if (known.status >= 500) app.log.error('request failed', { error: known.cause ?? error })
      if (event.node.res.headersSent) return
      setResponseStatus(event, known.status)
      setResponseHeaders(event, { ...known.headers, 'content-type': 'application/problem+json' })
      event.node.res.end(JSON.stringify(toProblem(known, 'test')))
    },
  })
  for (const handler of middleware) h3.use(handler)
  const router = createRouter()
  for (const [path, handler] of Object.entries(routes)) router.use(path, handler)
  h3.use(router)
  const { handler } = h3
  // As in the startup plugin.
  h3.handler = defineEventHandler(event => {
    event.context.app = app
    event.context.requestId = 'test'
    return withRequestRun(event, () => handler(event))
  })
  return serveListener(toNodeListener(h3), { port: listenOn, host: 'localhost' })
}
