import type { H3Event } from 'h3'
import { getSession, signedInAt } from '#fairway/server/domains/sessions'
import { getRequestId } from '#fairway/server/kernel/app-context'
import { requestInfo, requestQuery } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import type { Session } from '#fairway/shared/schemas/session'
import type { Visit } from '../authorization-endpoint'

/** One visit of the authorization endpoint, or of the page for devices. */
export interface AuthorizeVisit extends Visit {
  /** The path of the page; default: that of the authorization endpoint. */
  path?: string
  /** The query with its question mark, as sent. */
  query: string
  session: Session | null
  sessionId: string | null
  /** When the person last authenticated; null when that is unknown. */
  signedInAt: Date | null
}

/** Returns the visit of this request, with its session. */
export async function consentVisit(event: H3Event): Promise<AuthorizeVisit> {
  const session = await getSession(event)
  return {
    query: requestQuery(event),
    session,
    sessionId: session?.id ?? null,
    signedInAt: session ? await signedInAt(event, session) : null,
    clientAddress: requestInfo(event).clientAddress,
    requestId: getRequestId(event),
    language: requestLanguage(event),
  }
}
