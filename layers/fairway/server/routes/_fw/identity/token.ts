import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { type H3Event, setResponseHeaders, setResponseStatus } from 'h3'
import {
  countRequest,
  isIdentityHub,
  readTokenRequest,
  redeemIdentityCode,
  requireHub,
  toTokenRefusal,
} from '#fairway/server/domains/oauth-server'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody, readJsonBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

/** The endpoint where applications redeem, without a browser, the code that a browser brought to them. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async POST(event) {
      setResponseHeaders(event, { 'cache-control': 'private, no-store', pragma: 'no-cache' })
      try {
        return await redeem(event)
      } catch (error) {
        const { status, headers, body } = toTokenRefusal(error)
        setResponseStatus(event, status)
        setResponseHeaders(event, headers)
        return body
      }
    },
  },
  { isThere: event => isIdentityHub(getApp(event)) },
)

async function redeem(event: H3Event) {
  const app = getApp(event)
  const { clientAddress } = requestInfo(event)
  await countRequest(app, 'identityToken', clientAddress)
  const isJson = /^application\/json\b/i.test(event.node.req.headers['content-type'] ?? '')
  const fields = await (isJson ? readJsonBody : readFormBody)(event, { maxBytes: bodyLimits.exchange })
  const from = { clientAddress, requestId: getRequestId(event) }
  return redeemIdentityCode(app, requireHub(app), readTokenRequest(fields), from)
}
