import { getQuery, type H3Event, sendRedirect, setResponseHeader } from 'h3'
import { preferredLanguage } from '#fairway/server/kernel/server-page/render-page'
import { decideClaim, showClaim, toLanguage } from '#fairway/server/domains/sign-in'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-body'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'
import { safeReturnPath } from '#fairway/shared/return-path'

const MAX_BYTES = 4096

/** Where the owner of an address says whose the account is; the page posts to its own address. */
export default defineMethods({
  async GET(event) {
    return send(event, await showClaim(getApp(event), await visitOf(event)))
  },

  async POST(event) {
    const form = await readFormBody(event, { maxBytes: MAX_BYTES })
    return send(
      event,
      await decideClaim(getApp(event), { ...(await visitOf(event)), form, requestId: getRequestId(event) }),
    )
  },
})

async function visitOf(event: H3Event) {
  const { return: returnPath, lang } = getQuery(event)
  const session = await getSession(event)
  const sessionId = session?.id ?? null
  const language = toLanguage(lang, preferredLanguage(event.node.req.headers['accept-language']))
  return { session, sessionId, language, returnPath: safeReturnPath(returnPath, getApp(event).config.baseUrl) }
}

function send(event: H3Event, answer: Awaited<ReturnType<typeof showClaim>>) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, 303)
}
