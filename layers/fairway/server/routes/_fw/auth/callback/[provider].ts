import { appendResponseHeader, getRouterParam, sendRedirect } from 'h3'
import { endProviderSignIn } from '#fairway/server/domains/oauth-client'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery } from '#fairway/server/kernel/http/request-path'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  async GET(event) {
    const provider = getRouterParam(event, 'provider') ?? ''
    const query = new URLSearchParams(requestQuery(event))
    const { location, setCookies } = await endProviderSignIn(getApp(event), {
      ...requestInfo(event),
      provider,
      query,
      requestId: getRequestId(event),
    })
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, location, 302)
  },
})
