import { appendResponseHeader, getRouterParam, sendRedirect } from 'h3'
import { endProvider } from '#server/domains/sign-in'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { requestQuery } from '#server/foundation/http/request-path'
import { readVisitor } from '#server/foundation/http/visitor'

export default defineMethods({
  async GET(event) {
    const provider = getRouterParam(event, 'provider') ?? ''
    const { location, setCookies } = await endProvider(getApp(event), provider, requestQuery(event), readVisitor(event))
    for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
    return sendRedirect(event, location, 302)
  },
})
