import { appendResponseHeader, sendRedirect } from 'h3'
import { endHubSignIn, findHubClient } from '#server/domains/identity-hub'
import { getApp, getRequestId } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { defineMethods } from '#server/foundation/http/methods'
import { requestQuery } from '#server/foundation/http/request-path'
import { readVisitor } from '#server/foundation/http/visitor'

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
