import { setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { defineNitroErrorHandler } from 'nitropack/runtime'
import { getRequestId } from '#server/foundation/app-context'
import type { AppError } from '#server/foundation/http/app-error'
import { PROBLEM_MEDIA_TYPE, toAppError, toProblem } from '#server/foundation/http/problem'
import { errorPage } from '#server/foundation/server-page/error-page'
import { AUTH_PREFIX, isServerPath, SIGN_IN_PATH } from '#shared/paths'

/** The one place where a failure becomes an answer: problem+json for our endpoints, a plain page for people. */
export default defineNitroErrorHandler(async (thrown, event) => {
  const error = toAppError(thrown)
  logFailure(error, thrown, event)
  if (event.node.res.headersSent) return
  setResponseStatus(event, error.status)
  setResponseHeaders(event, { ...error.headers, 'cache-control': 'no-store', 'x-request-id': getRequestId(event) })
  if (wantsProblem(event)) {
    setResponseHeaders(event, { 'content-type': PROBLEM_MEDIA_TYPE })
    event.node.res.end(JSON.stringify(toProblem(error, getRequestId(event))))
    return
  }
  const page = await errorPage(error, getRequestId(event))
  setResponseHeaders(event, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy })
  event.node.res.end(page.html)
})

function wantsProblem(event: H3Event): boolean {
  const path = event.path.split('?', 1)[0] ?? ''
  const isForData = !(event.node.req.headers.accept ?? '').includes('text/html')
  return isForData || (isServerPath(path) && !isForPeople(path))
}

// A provider sends the browser itself to its callback.
const isForPeople = (path: string): boolean => path === SIGN_IN_PATH || path.startsWith(`${AUTH_PREFIX}/callback/`)

function logFailure(error: AppError, thrown: unknown, event: H3Event): void {
  const { app } = event.context
  const fields = {
    requestId: getRequestId(event),
    method: event.method,
    path: event.path.split('?', 1)[0],
    code: error.code,
  }
  if (error.status < 500) app?.log.debug('request refused', fields)
  else app?.log.error('request failed', { ...fields, error: error.cause ?? thrown })
}
