import { getQuery } from 'h3'
import { openLinkSchema, showLink, submitLink } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { parseInput, readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf, requestLanguage } from '#fairway/server/kernel/messages'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** The page behind a mailed link. Opening it has no effect; its button signs in. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const { token, lang } = getQuery(event)
      const request = { token: String(token ?? ''), language: languageOf(lang, requestLanguage(event)) }
      return sendAnswer(event, await showLink(getApp(event), request, requestInfo(event)))
    },

    async POST(event) {
      const form = await readFormBody(event)
      const input = parseInput(openLinkSchema, form)
      return sendAnswer(
        event,
        await submitLink(getApp(event), input, { ...requestInfo(event), language: requestLanguage(event) }),
      )
    },
  },
  { isThere: event => !getApp(event).config.customSignIn },
)
