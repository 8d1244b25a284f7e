// Nitro applies route rules before any middleware, so this runs around the application.
import { defineEventHandler, type EventHandler, type H3Event, setResponseHeaders } from 'h3'
import { openMethods } from '#fairway/server/domains/oauth-server'
import { withRequestRun } from '#fairway/server/domains/sessions'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { newRequestId } from '#fairway/server/kernel/crypto/random'
import { canonicalTarget, requestPath, isServedPath } from '#fairway/server/kernel/http/request-info'
import { checkHost, checkSameOrigin } from '#fairway/server/kernel/http/check-origin'
import { A2A_PATH, MCP_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'

/**
 * Puts around a handler what comes before everything else, route rules and static files included: the app once it is there, the end
 * of requests to names that are none of ours, the one spelling of the path, and `enterRequest`.
 */
export const aroundRequests = (starting: App | Promise<App>, handler: EventHandler): EventHandler =>
  defineEventHandler(async event => {
    const app = (event.context.app ??= await starting)
    event.context.requestId ??= newRequestId()
    checkHost(event.node.req, app.config)
    event.node.req.url = canonicalTarget(event.node.req.url ?? '/')
    enterRequest(event)
    return withRequestRun(event, () => handler(event))
  })

/** The headers of every answer, and the end of other sites' unsafe requests. */
export function enterRequest(event: H3Event): void {
  setBaseHeaders(event)
  checkOrigin(event)
}

/** Headers that every answer carries; answers of the framework's own endpoints are never stored. */
export function setBaseHeaders(event: H3Event): void {
  const app = getApp(event)
  const { config } = app
  const path = requestPath(event)
  setResponseHeaders(event, {
    'x-request-id': getRequestId(event),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    ...(config.isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    ...(config.authDisabled ? { 'x-fairway-auth': 'disabled' } : {}),
    ...(isServedPath(app, path) && path !== SIGN_IN_PATH ? { 'cache-control': 'no-store' } : {}),
  })
}

/** Refuses unsafe requests of other sites, with and without a visitor's cookies. */
function checkOrigin(event: H3Event): void {
  if (!isBearerOnly(requestPath(event))) checkSameOrigin(event.node.req, getApp(event).config.baseUrl)
}

/** Where only a bearer credential says who calls; the first two say themselves which pages may call them. */
const isBearerOnly = (path: string): boolean =>
  path === MCP_PATH || path === A2A_PATH || openMethods(path) !== undefined
