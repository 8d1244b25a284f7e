import { getQuery, type H3Event } from 'h3'
import { decideTerms, showTerms } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { languageOf, requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { safeReturnPath } from '#fairway/shared/return-path'

/** The page where a signed-in person accepts the terms; it posts to its own address. */
export default defineMethods({
  openIn: { GET: ['signed-out', 'setup'], POST: ['setup'] },
  async GET(event) {
    return sendAnswer(event, await showTerms(event, visitOf(event)))
  },

  async POST(event) {
    const form = await readFormBody(event, { maxBytes: bodyLimits.choice })
    return sendAnswer(event, await decideTerms(event, visitOf(event), form))
  },
})

function visitOf(event: H3Event) {
  const { return: returnPath, lang } = getQuery(event)
  const language = languageOf(lang, requestLanguage(event))
  return { language, returnPath: safeReturnPath(returnPath, getApp(event).config.baseUrl) }
}
