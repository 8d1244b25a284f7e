import type { H3Event } from 'h3'
import {
  type AuthorizeVisit,
  countRequest,
  decideConsent,
  sendPageAnswer,
  showConsent,
} from '#fairway/server/domains/oauth-server'
import { getSession, signedInAt } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'

/** The page that hosts send people to for connecting; it posts to its own address. */
export default defineMethods({
  openIn: ['signed-out'],
  async GET(event) {
    await countRequest(getApp(event), 'authorize', requestInfo(event).clientAddress)
    return sendPageAnswer(event, await showConsent(getApp(event), await visitOf(event)), 302)
  },

  async POST(event) {
    const form = await readFormBody(event)
    return sendPageAnswer(event, await decideConsent(getApp(event), await visitOf(event), form))
  },
})

async function visitOf(event: H3Event): Promise<AuthorizeVisit> {
  const session = await getSession(event)
  const sessionId = session?.id ?? null
  const at = session ? await signedInAt(event, session) : null
  const { clientAddress } = requestInfo(event)
  const language = requestLanguage(event)
  const requestId = getRequestId(event)
  return { query: requestQuery(event), session, sessionId, signedInAt: at, clientAddress, requestId, language }
}
