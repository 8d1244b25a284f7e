import { sendRedirect, setResponseHeaders } from 'h3'
import { authorizeIdentity, isIdentityHub, requireHub } from '#fairway/server/domains/oauth-server'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery } from '#fairway/server/kernel/http/request-path'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

/** Where applications send people to sign in through this one. */
export default defineMethods(
  {
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
        requestId: getRequestId(event),
        findSession: () => getSession(event),
        sessionId: async () => (await getSession(event))?.id ?? null,
      })
      if ('location' in answer) return sendRedirect(event, answer.location, 303)
      return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
    },
  },
  { isThere: event => isIdentityHub(getApp(event)) },
)
