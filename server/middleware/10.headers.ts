import { defineEventHandler, setResponseHeaders } from 'h3'
import { getApp, getRequestId } from '#server/foundation/app-context'
import { requestPath } from '#server/foundation/http/request-path'
import { isServerPath, SIGN_IN_PATH } from '#shared/paths'

/** Headers that every answer carries; answers of the framework's own endpoints are never stored. */
export default defineEventHandler(event => {
  const { config } = getApp(event)
  const path = requestPath(event)
  setResponseHeaders(event, {
    'x-request-id': getRequestId(event),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    ...(config.isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    ...(config.authDisabled ? { 'x-fairway-auth': 'disabled' } : {}),
    ...(isServerPath(path) && path !== SIGN_IN_PATH ? { 'cache-control': 'no-store' } : {}),
  })
})
