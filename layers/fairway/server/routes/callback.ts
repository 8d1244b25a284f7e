import { appendResponseHeader, sendRedirect, setResponseHeader } from 'h3'
import { endConnection } from '#fairway/server/domains/oauth-client'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  openIn: ['signed-out'],
  async GET(event) {
    setResponseHeader(event, 'cache-control', 'no-store')
    const session = await getSession(event)
    const { location, setCookies } = await endConnection(getApp(event), {
      ...requestInfo(event),
      userId: session?.userId ?? null,
      query: new URLSearchParams(requestQuery(event)),
      requestId: getRequestId(event),
    })
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, location, 302)
  },
})
