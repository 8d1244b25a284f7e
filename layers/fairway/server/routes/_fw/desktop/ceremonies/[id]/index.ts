import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { getRouterParam, type H3Event } from 'h3'
import {
  ceremonyPath,
  type CeremonyVisit,
  decideCeremony,
  isDesktopHub,
  sendPageAnswer,
  showCeremony,
} from '#fairway/server/domains/oauth-server'
import { endSession, getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { signInPathFor } from '#fairway/shared/sign-in-path'

/** The page that the window of a desktop application opens; it posts to its own address. */
export default defineMethods(
  {
    openIn: ['signed-out'],
    GET: async event => sendPageAnswer(event, await showCeremony(getApp(event), await visitOf(event))),

    async POST(event) {
      const form = await readFormBody(event, { maxBytes: bodyLimits.exchange })
      const visit = await visitOf(event)
      const answer = await decideCeremony(getApp(event), visit, form)
      if (answer !== 'sign-out') return sendPageAnswer(event, answer)
      await endSession(event)
      const location = signInPathFor({ returnPath: ceremonyPath(visit.id, visit.nonce) })
      return sendPageAnswer(event, { location })
    },
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)

async function visitOf(event: H3Event): Promise<CeremonyVisit> {
  const { clientAddress, cookieHeader } = requestInfo(event)
  return {
    id: getRouterParam(event, 'id') ?? '',
    nonce: new URLSearchParams(requestQuery(event)).get('nonce') ?? '',
    session: await getSession(event),
    cookieHeader,
    clientAddress,
    language: requestLanguage(event),
    requestId: getRequestId(event),
  }
}
