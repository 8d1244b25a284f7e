import { getRouterParam } from 'h3'
import { getSession } from '#fairway/server/domains/sessions'
import { findTesterLink } from '#fairway/server/domains/setup'
import { endConnection } from '#fairway/server/domains/sign-in'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo, requestQuery } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const answer = await endConnection(getApp(event), {
        ...requestInfo(event),
        language: requestLanguage(event),
        id: getRouterParam(event, 'id') ?? '',
        query: new URLSearchParams(requestQuery(event)),
        requestId: getRequestId(event),
        async findTester(testedBy) {
          const session = await getSession(event)
          return session?.userId === testedBy ? session.orgId : findTesterLink(getApp(event), testedBy)
        },
      })
      return sendAnswer(event, { ...answer, status: 302 })
    },
  },
  { isThere: event => !getApp(event).config.customSignIn },
)
