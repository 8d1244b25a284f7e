import { appendResponseHeader, sendRedirect } from 'h3'
import { endHubSignIn, findHubClient } from '#fairway/server/domains/identity-hub'
import { getApp, getRequestId } from '#fairway/server/foundation/app-context'
import { AppError } from '#fairway/server/foundation/http/app-error'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { requestQuery } from '#fairway/server/foundation/http/request-path'
import { readVisitor } from '#fairway/server/foundation/http/visitor'

export default defineMethods(
  {
    async GET(event) {
      if (event.method === 'HEAD') throw new AppError('method-not-allowed', { headers: { allow: 'GET' } })
      const { location, setCookies } = await endHubSignIn(getApp(event), {
        ...readVisitor(event),
        query: new URLSearchParams(requestQuery(event)),
        requestId: getRequestId(event),
      })
      for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
      return sendRedirect(event, location, 303)
    },
  },
  { isThere: event => findHubClient(getApp(event), readVisitor(event).userAgent) !== undefined },
)
