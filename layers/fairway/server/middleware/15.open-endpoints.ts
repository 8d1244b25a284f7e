import { defineEventHandler, sendNoContent, setResponseHeaders } from 'h3'
import { openMethods } from '#fairway/server/domains/oauth-server'
import { requestPath } from '#fairway/server/kernel/http/request-info'

/** Lets pages of every origin use the endpoints by which hosts connect, without cookies; answers their preflight. */
export default defineEventHandler(event => {
  const methods = openMethods(requestPath(event))
  if (methods === undefined) return undefined
  setResponseHeaders(event, { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'x-request-id' })
  if (event.method !== 'OPTIONS') return undefined
  setResponseHeaders(event, {
    'access-control-allow-methods': methods,
    // The wildcard does not stand for this one.
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': 86_400,
  })
  return sendNoContent(event)
})
