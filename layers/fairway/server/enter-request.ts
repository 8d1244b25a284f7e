// Nitro applies route rules before any middleware, so this runs around the application.
import type { IncomingMessage } from 'node:http'
import {
  defineEventHandler,
  type EventHandler,
  type H3Event,
  sendNoContent,
  sendRedirect,
  setResponseHeaders,
} from 'h3'
import { openMethods } from '#fairway/server/domains/oauth-server'
import { withRequestRun } from '#fairway/server/domains/sessions'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { markRequest } from '#fairway/server/kernel/background'
import { withFollowing } from '#fairway/server/kernel/database/followed-reads'
import { newRequestId } from '#fairway/server/kernel/crypto/random'
import { limitConnections } from '#fairway/server/kernel/http/connections'
import { endUnreadBody } from '#fairway/server/kernel/http/read-input'
import { takeOrg, targetOfPage } from '#fairway/server/kernel/http/request-org'
import { canonicalTarget, requestPath } from '#fairway/server/kernel/http/request-info'
import { checkHost, checkSameOrigin } from '#fairway/server/kernel/http/check-origin'
import { baseHeaders, mayBeReady, type ReadyAnswer, sendReady } from '#fairway/server/kernel/http/ready-answer'
import { A2A_PATH, COLLECTIONS_ENTRYPOINT_PATH, MCP_PATH } from '#fairway/shared/paths'

/** Returns the response to this request from memory; undefined where a handler must run. */
export type FindReady = (event: H3Event, app: App, path: string) => ReadyAnswer | undefined

/**
 * Wraps a handler with the steps that come first, even before route rules and static files. It waits for the app, ends requests
 * to foreign host names, normalizes the path, takes the organization out of the address and calls `enterRequest`. A response from `findReady` is sent at once. It is called
 * only for reading requests, which other sites may also make.
 */
export function aroundRequests(
  starting: App | Promise<App>,
  handler: EventHandler,
  findReady: FindReady = () => undefined,
): EventHandler {
  return defineEventHandler(async event => {
    const { context, node } = event
    const app = (context.app ??= await starting)
    markRequest(app)
    context.requestId ??= newRequestId()
    limitConnections(node.req, app.config)
    endUnreadBody(node)
    checkHost(node.req, app.config)
    const { url = '/' } = node.req
    const target = targetOfPage(app, takeOrg(node.req, canonicalTarget(url)))
    if (target !== url) node.req.url = target
    if (target === '/' && asksForJsonLd(node.req)) {
      enterRequest(event)
      return sendToEntrypoint(event)
    }
    if (mayBeReady(event, app)) {
      const path = requestPath(event)
      const ready = findReady(event, app, path)
      if (ready) return sendReady(event, app, path, ready)
    }
    enterRequest(event)
    return withFollowing(requestPath(event), async () => withRequestRun(event, () => handler(event)))
  })
}

const asksForJsonLd = ({ method, headers: { accept = '' } }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && accept.includes('application/ld+json') && !accept.includes('text/html')

/** Redirects Hydra clients from the root to the entrypoint of the collections. Caches must not send that to browsers. */
function sendToEntrypoint(event: H3Event): Promise<void> {
  setResponseHeaders(event, { 'access-control-allow-origin': '*', 'cache-control': 'no-store', vary: 'Accept' })
  return sendRedirect(event, COLLECTIONS_ENTRYPOINT_PATH, 303)
}

/** Sets the headers of every response, and refuses unsafe requests from other sites. */
export function enterRequest(event: H3Event): void {
  setBaseHeaders(event)
  checkOrigin(event)
}

/** Sets the headers of every response. */
function setBaseHeaders(event: H3Event): void {
  const { res } = event.node
  const headers = baseHeaders(getApp(event), requestPath(event))
  res.setHeader('x-request-id', getRequestId(event))
  for (let at = 1; at < headers.length; at += 2) res.setHeader(headers[at - 1]!, headers[at]!)
}

/** Refuses unsafe requests of other sites, with and without a visitor's cookies. */
function checkOrigin(event: H3Event): void {
  if (!isBearerOnly(requestPath(event))) checkSameOrigin(event.node.req, getApp(event).config.baseUrl)
}

/**
 * Returns whether only a bearer credential identifies the caller at this path. The first two endpoints decide for themselves
 * which pages may call them.
 */
const isBearerOnly = (path: string): boolean =>
  path === MCP_PATH || path === A2A_PATH || openMethods(path) !== undefined

/**
 * Does the same for each request in the middleware. Route rules run before it, and an application's rules may have replaced
 * headers.
 */
export function enterMiddleware(event: H3Event): void {
  setBaseHeaders(event)
  openToOtherSites(event)
}

/**
 * Runs before the platform's routes. Lets pages of every origin use the endpoints that hosts connect with, without cookies.
 * Answers their preflight; `event.handled` is then true.
 */
export function openToOtherSites(event: H3Event): void {
  const methods = openMethods(requestPath(event))
  if (methods === undefined) return
  setResponseHeaders(event, { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'x-request-id' })
  if (event.method !== 'OPTIONS') return
  setResponseHeaders(event, {
    'access-control-allow-methods': methods,
    // The wildcard does not cover `Authorization`.
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': 86_400,
  })
  sendNoContent(event)
}
