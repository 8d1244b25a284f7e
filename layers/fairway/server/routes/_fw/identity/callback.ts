import { appendResponseHeader, sendRedirect } from 'h3'
import { endHubSignIn, findHubClient } from '#fairway/server/domains/oauth-client'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      if (event.method === 'HEAD') throw new AppError('method-not-allowed', { headers: { allow: 'GET' } })
      const { location, setCookies } = await endHubSignIn(getApp(event), {
        ...requestInfo(event),
        language: requestLanguage(event),
        query: new URLSearchParams(requestQuery(event)),
        requestId: getRequestId(event),
      })
      for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
      return sendRedirect(event, location, 303)
    },
  },
  { isThere: event => findHubClient(getApp(event), requestInfo(event).userAgent) !== undefined },
)
