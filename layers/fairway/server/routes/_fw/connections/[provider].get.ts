import { appendResponseHeader, getQuery, getRouterParam, sendRedirect } from 'h3'
import { startConnection } from '#fairway/server/domains/oauth-client'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Redirects to the provider that the person connects. `end-connection` is an operation at the same path. */
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
})
