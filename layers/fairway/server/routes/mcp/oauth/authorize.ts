import { sendRedirect, setResponseHeader, type H3Event } from 'h3'
import {
  type AuthorizeAnswer,
  type AuthorizeVisit,
  countAuthorization,
  decideConsent,
  showConsent,
} from '#fairway/server/domains/oauth-server'
import { getSession, signedInAt } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-body'
import { requestQuery } from '#fairway/server/kernel/http/request-path'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

const MAX_BYTES = 64 * 1024

/** Where hosts send people to connect; the page posts to its own address. */
export default defineMethods({
  async GET(event) {
    await countAuthorization(getApp(event), requestInfo(event).clientAddress)
    return send(event, await showConsent(getApp(event), await visitOf(event)), 302)
  },

  async POST(event) {
    const form = await readFormBody(event, { maxBytes: MAX_BYTES })
    return send(event, await decideConsent(getApp(event), await visitOf(event), form), 303)
  },
})

async function visitOf(event: H3Event): Promise<AuthorizeVisit> {
  const session = await getSession(event)
  const sessionId = session?.id ?? null
  const at = session ? await signedInAt(event, session) : null
  const { clientAddress } = requestInfo(event)
  const requestId = getRequestId(event)
  return { query: requestQuery(event), session, sessionId, signedInAt: at, clientAddress, requestId }
}

function send(event: H3Event, answer: AuthorizeAnswer, status: 302 | 303) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, status)
}
