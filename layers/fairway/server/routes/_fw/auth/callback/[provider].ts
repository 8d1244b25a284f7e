import { getRouterParam } from 'h3'
import { endProviderSignIn } from '#fairway/server/domains/oauth-client'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const provider = getRouterParam(event, 'provider') ?? ''
      const query = new URLSearchParams(requestQuery(event))
      const findLinkTarget = async () => {
        const session = await getSession(event)
        return session && { userId: session.userId, sessionId: session.id }
      }
      const request = {
        ...requestInfo(event),
        language: requestLanguage(event),
        provider,
        query,
        requestId: getRequestId(event),
        findLinkTarget,
      }
      return sendAnswer(event, { ...(await endProviderSignIn(getApp(event), request)), status: 302 })
    },
  },
  { isThere: event => !getApp(event).config.customSignIn },
)
