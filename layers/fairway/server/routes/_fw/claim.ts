import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { getQuery, type H3Event } from 'h3'
import { decideClaim, showClaim } from '#fairway/server/domains/sign-in'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf, requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { safeReturnPath } from '#fairway/shared/return-path'

/** The page where the owner of an address reviews the account; it posts to its own address. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async GET(event) {
    return sendAnswer(event, await showClaim(getApp(event), await visitOf(event)))
  },

  async POST(event) {
    const form = await readFormBody(event, { maxBytes: bodyLimits.choice })
    return sendAnswer(
      event,
      await decideClaim(getApp(event), { ...(await visitOf(event)), form, requestId: getRequestId(event) }),
    )
  },
})

async function visitOf(event: H3Event) {
  const { return: returnPath, lang } = getQuery(event)
  const session = await getSession(event)
  const sessionId = session?.id ?? null
  const language = languageOf(lang, requestLanguage(event))
  return { session, sessionId, language, returnPath: safeReturnPath(returnPath, getApp(event).config.baseUrl) }
}
