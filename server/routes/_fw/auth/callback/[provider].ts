import { appendResponseHeader, getRouterParam, sendRedirect } from 'h3'
import { endProviderSignIn } from '#server/domains/provider-sign-in'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { requestQuery } from '#server/foundation/http/request-path'
import { readVisitor } from '#server/foundation/http/visitor'

export default defineMethods({
  async GET(event) {
    const provider = getRouterParam(event, 'provider') ?? ''
    const query = new URLSearchParams(requestQuery(event))
    const { location, setCookies } = await endProviderSignIn(getApp(event), { ...readVisitor(event), provider, query })
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, location, 302)
  },
})
