import { appendResponseHeader, getQuery, getRouterParam, sendRedirect } from 'h3'
import { disconnect, startConnection } from '#fairway/server/domains/oauth-client'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    const { url, setCookies } = await startConnection(getApp(event), {
      userId,
      provider: getRouterParam(event, 'provider') ?? '',
      returnPath: getQuery(event).return,
      cookieHeader: event.node.req.headers.cookie,
    })
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, url, 302)
  },

  async DELETE(event) {
    const { userId } = await requireSession(event)
    return disconnect(getApp(event), userId, getRouterParam(event, 'provider') ?? '')
  },
})
