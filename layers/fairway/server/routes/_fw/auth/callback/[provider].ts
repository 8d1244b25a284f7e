import { getRouterParam } from 'h3'
import { endProviderSignIn } from '#fairway/server/domains/oauth-client'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

export default defineMethods({
  async GET(event) {
    const provider = getRouterParam(event, 'provider') ?? ''
    const query = new URLSearchParams(requestQuery(event))
    const answer = await endProviderSignIn(getApp(event), { ...requestInfo(event), provider, query })
    return sendAnswer(event, { ...answer, status: 302 })
  },
})
