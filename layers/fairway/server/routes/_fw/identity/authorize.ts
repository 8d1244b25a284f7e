import { setResponseHeaders } from 'h3'
import { authorizeIdentity, isIdentityHub, requireHub, sendPageAnswer } from '#fairway/server/domains/oauth-server'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo, requestQuery } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'

/** The page that other applications send people to for signing in through this one. */
export default defineMethods(
  {
    openIn: ['signed-out'],
    async GET(event) {
      setResponseHeaders(event, {
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
      })
      const app = getApp(event)
      const answer = await authorizeIdentity(app, requireHub(app), {
        query: requestQuery(event),
        clientAddress: requestInfo(event).clientAddress,
        language: requestLanguage(event),
        requestId: getRequestId(event),
        findSession: () => getSession(event),
        sessionId: async () => (await getSession(event))?.id ?? null,
      })
      return sendPageAnswer(event, answer)
    },
  },
  { isThere: event => isIdentityHub(getApp(event)) },
)
