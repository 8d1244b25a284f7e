import { getQuery, type H3Event, setResponseHeader } from 'h3'
import { openSetup, showSetup, submitSetup } from '#fairway/server/domains/setup'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo, requestQuery } from '#fairway/server/kernel/http/request-info'
import { languageOf, requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** The page where somebody without an account prepares single sign-on; its forms post to its own address. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const query = new URLSearchParams(requestQuery(event))
      const token = query.get('token')
      if (token === null) return sendAnswer(event, await showSetup(getApp(event), visitOf(event), query))
      setResponseHeader(event, 'referrer-policy', 'no-referrer')
      return sendAnswer(event, await openSetup(getApp(event), token, visitOf(event)))
    },
    POST: async event => sendAnswer(event, await submitSetup(getApp(event), await readFormBody(event), visitOf(event))),
  },
  { isThere: event => !getApp(event).config.customSignIn },
)

const visitOf = (event: H3Event) => ({
  ...requestInfo(event),
  language: languageOf(getQuery(event).lang, requestLanguage(event)),
  requestId: getRequestId(event),
})
