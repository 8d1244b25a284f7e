import { appendResponseHeader, getRouterParam, sendRedirect } from 'h3'
import { endProviderSignIn } from '#fairway/server/domains/provider-sign-in'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { requestQuery } from '#fairway/server/foundation/http/request-path'
import { readVisitor } from '#fairway/server/foundation/http/visitor'

export default defineMethods({
  async GET(event) {
    const provider = getRouterParam(event, 'provider') ?? ''
    const query = new URLSearchParams(requestQuery(event))
    const { location, setCookies } = await endProviderSignIn(getApp(event), { ...readVisitor(event), provider, query })
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, location, 302)
  },
})
