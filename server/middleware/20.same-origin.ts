import { defineEventHandler } from 'h3'
import { getApp } from '#server/foundation/app-context'
import { checkSameOrigin } from '#server/foundation/http/same-origin'
import { requestPath } from '#server/foundation/http/request-path'
import { AUTH_PREFIX, SIGN_IN_PATH } from '#shared/paths'

/** Refuses unsafe requests that another site made with a visitor's cookies, and every foreign attempt to sign a visitor in. */
export default defineEventHandler(event => {
  const path = requestPath(event)
  const startsSession = path === SIGN_IN_PATH || path.startsWith(`${AUTH_PREFIX}/`)
  checkSameOrigin(event.node.req, getApp(event).config.baseUrl, { evenWithoutCookie: startsSession })
})
