import { defineEventHandler, setResponseHeaders } from 'h3'
import { isServedPath } from '#fairway/server/domains/collections'
import { getApp, getRequestId } from '#fairway/server/foundation/app-context'
import { requestPath } from '#fairway/server/foundation/http/request-path'
import { SIGN_IN_PATH } from '#fairway/shared/paths'

/** Headers that every answer carries; answers of the framework's own endpoints are never stored. */
export default defineEventHandler(event => {
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
})
