import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { IDENTITY_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { type AuthorizeRequest, readAuthorizeRequest, refused, toQuery } from './authorize-request'
import { findHubPerson } from './hub-person'
import { issueIdentityCode } from './identity-code'
import { refusedPersonPage } from './refused-person-page'

/** One visit of the hub by somebody whom an application has sent. */
export interface IdentityVisit {
  /** The query with its question mark, as it was sent. */
  query: string
  clientAddress: string
  requestId: string
  /** Looks the session up; called for requests that are in order only. */
  findSession(): Promise<Session | null>
  /** The row of that session, where it is one of ours. */
  sessionId(): Promise<string | null>
}

/** Where the browser goes next, or a page that says what is in the way. */
export type IdentityAnswer = { location: string } | { page: ServerPage; status: number }

/**
 * Sends somebody who is signed in back to a registered application with a one-time code, everybody else to the sign-in page and
 * then here again. Throws `invalid-authorization-request` before anything is looked up, and `rate-limited`.
 */
export async function authorizeIdentity(app: App, hub: HubConfig, visit: IdentityVisit): Promise<IdentityAnswer> {
  await rateLimit(app, limits.identityAuthorizationsPerAddress, addressKey(visit.clientAddress))
  const request = readAuthorizeRequest(hub, visit.query)
  const here = pathOfRequest(app, visit.query, request)
  const session = await visit.findSession()
  if (!session) return { location: signInPathFor({ returnPath: here }) }
  await rateLimit(app, limits.identityCodesPerAccount, session.userId)
  const person = await findHubPerson(app, session.userId)
  if (!person) throw new AppError('unauthenticated')
  if (person.refusal) {
    const signInHref = signInPathFor({ returnPath: here, again: true })
    app.log.info('identity refused', { app: request.appId, code: person.refusal, requestId: visit.requestId })
    return { page: await refusedPersonPage(app, { ...person, refusal: person.refusal, signInHref }), status: 403 }
  }
  const { appId, clientId, redirectUri, codeChallenge, state } = request
  const { provider } = session
  const input = { userId: person.id, provider, appId, clientId, redirectUri, codeChallenge }
  const code = await issueIdentityCode(app, input, await visit.sessionId())
  app.log.info('identity code issued', { app: appId, userId: person.id, requestId: visit.requestId })
  return { location: `${redirectUri}?${new URLSearchParams({ code, state })}` }
}

/** The address of this request as the sign-in page keeps it: to the letter, or without what that page would not take. */
function pathOfRequest(app: App, query: string, request: AuthorizeRequest): string {
  const spellings = [query, toQuery(request)].map(each => IDENTITY_AUTHORIZE_PATH + each)
  const kept = spellings.find(path => safeReturnPath(path, app.config.baseUrl) === path)
  if (kept === undefined) throw refused('The request is too long.')
  return kept
}
