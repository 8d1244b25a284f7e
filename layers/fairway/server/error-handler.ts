import { sendRedirect, setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { defineNitroErrorHandler } from 'nitropack/runtime'
import { OAuthError, toOAuthAnswer } from '#fairway/server/domains/oauth-server'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { storageFaultOf } from '#fairway/server/kernel/database/database-error'
import { AppError, PROBLEM_MEDIA_TYPE, toAppError, toProblem } from '#fairway/server/kernel/http/app-error'
import { errorPage } from '#fairway/server/kernel/server-page/note-page'
import { isServedPath, readBearer, requestPath } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { errorCatalog } from '#fairway/shared/errors'
import {
  A2A_APPROVALS_PATH,
  APPROVALS_PATH,
  AUTH_PREFIX,
  DEVICE_PATH,
  IDENTITY_AUTHORIZE_PATH,
  OAUTH_AUTHORIZE_PATH,
  OAUTH_PREFIX,
  SIGN_IN_PATH,
  TERMS_PATH,
} from '#fairway/shared/paths'

/** Turns every failure into a response: problem+json for our endpoints, the RFC's format for OAuth, a plain page for people. */
export default defineNitroErrorHandler(async (thrown, event) => {
  const error = thrown instanceof OAuthError ? fromOAuth(thrown) : toAppError(thrown)
  logFailure(error, thrown, event)
  if (event.node.res.headersSent) return
  if (error.code === 'terms-due' && event.method === 'GET' && !wantsProblem(event))
    return sendRedirect(event, `${TERMS_PATH}?${new URLSearchParams({ return: event.path })}`)
  if (isOAuth(event)) return sendOAuth(event, thrown instanceof OAuthError ? thrown : error)
  setResponseStatus(event, error.status)
  setResponseHeaders(event, {
    ...error.headers,
    ...challengeOf(error, event),
    'cache-control': 'no-store',
    'x-request-id': getRequestId(event),
  })
  if (wantsProblem(event)) {
    setResponseHeaders(event, { 'content-type': PROBLEM_MEDIA_TYPE })
    event.node.res.end(JSON.stringify(toProblem(error, getRequestId(event))))
    return
  }
  const page = await errorPage(getApp(event), error, getRequestId(event), requestLanguage(event))
  setResponseHeaders(event, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy })
  event.node.res.end(page.html)
})

/** Every refusal of a caller names what it needs (RFC 9110 §15.5.2), and whether a token was refused (RFC 6750 §3). */
function challengeOf({ code, headers }: AppError, { node }: H3Event): Record<string, string> {
  const { 'www-authenticate': named = 'Bearer' } = headers
  if ((code !== 'unauthenticated' && code !== 'peer-unauthenticated') || named !== 'Bearer') return {}
  return { 'www-authenticate': readBearer(node.req) === undefined ? 'Bearer' : 'Bearer error="invalid_token"' }
}

const wantsPage = (event: H3Event): boolean => (event.node.req.headers.accept ?? '').includes('text/html')

// People open the authorization page; programs call the other endpoints.
function isOAuth(event: H3Event): boolean {
  const path = requestPath(event)
  return path.startsWith(`${OAUTH_PREFIX}/`) && (path !== OAUTH_AUTHORIZE_PATH || !wantsPage(event))
}

function sendOAuth(event: H3Event, error: OAuthError | AppError): void {
  const { status, headers, body } = toOAuthAnswer(error)
  setResponseStatus(event, status)
  setResponseHeaders(event, {
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'x-request-id': getRequestId(event),
  })
  event.node.res.end(JSON.stringify(body))
}

/** Returns the closest of our codes, for the log and for a page. */
const fromOAuth = (error: OAuthError): AppError =>
  error.status >= 500
    ? new AppError('internal', { cause: error })
    : new AppError('invalid-request', { detail: error.description })

function wantsProblem(event: H3Event): boolean {
  const path = requestPath(event)
  return !wantsPage(event) || (isServedPath(event.context.app, path) && !isForPeople(path) && !isVisit(event, path))
}

// Returns whether a person opened the address in a browser; scripts of pages send `cors` or `same-origin` (Fetch Metadata).
const isVisit = ({ method, node }: H3Event, path: string): boolean =>
  method === 'GET' && path.startsWith('/_fw/') && (node.req.headers['sec-fetch-mode'] ?? 'navigate') === 'navigate'

const PEOPLE_PATHS: readonly string[] = [SIGN_IN_PATH, OAUTH_AUTHORIZE_PATH, DEVICE_PATH, IDENTITY_AUTHORIZE_PATH]
const PEOPLE_PREFIXES: readonly string[] = [`${AUTH_PREFIX}/callback/`, `${A2A_APPROVALS_PATH}/`, `${APPROVALS_PATH}/`]

// A provider redirects the browser itself to its callback.
const isForPeople = (path: string): boolean =>
  PEOPLE_PATHS.includes(path) || PEOPLE_PREFIXES.some(prefix => path.startsWith(prefix))

function logFailure(error: AppError, thrown: unknown, event: H3Event): void {
  const { app } = event.context
  const fields = {
    requestId: getRequestId(event),
    method: event.method,
    path: requestPath(event),
    code: thrown instanceof OAuthError ? thrown.error : error.code,
  }
  if (error.status < 500 || 'unset' in errorCatalog[error.code]) app?.log.debug('request refused', fields)
  // A fault of the storage is logged once for all requests that meet it.
  else if (storageFaultOf(error)) app?.log.error('request failed', fields)
  else app?.log.error('request failed', { ...fields, error: error.cause ?? thrown })
}
