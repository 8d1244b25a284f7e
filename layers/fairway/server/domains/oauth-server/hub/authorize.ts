import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { CODE_CHALLENGE } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { noteAnswer } from '#fairway/server/kernel/server-page/note-page'
import { IDENTITY_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import type { Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { type PageAnswer, readParameters, sentTwice, type Visit } from '../authorization-endpoint'
import { findHubPerson, type HubPerson, issueIdentityCode } from './token'
import { type AppClaim, type RegistrationDifference, registrationDifferences } from './registration'

/** One visit of the hub by a browser that an application has sent. */
interface IdentityVisit extends Visit {
  /** The query with its question mark, as sent. */
  query: string
  /** Looks up the session. It is called only for valid requests. */
  findSession(): Promise<Session | null>
  /** The row of that session; null when it is not a Fairway session. */
  sessionId(): Promise<string | null>
}

/**
 * Sends a signed-in person back to a registered application with a one-time code. Every other browser goes to the sign-in page
 * and then returns here. Throws `invalid-authorization-request` before any lookup, and `rate-limited`.
 */
export async function authorizeIdentity(app: App, hub: HubConfig, visit: IdentityVisit): Promise<PageAnswer> {
  await rateLimit(app, limits.identityAuthorizationsPerAddress, addressKey(visit.clientAddress))
  const request = readAuthorizeRequest(hub, visit.query)
  const here = pathOfRequest(app, visit.query, request)
  const session = await visit.findSession()
  if (!session) return { location: signInPathFor({ returnPath: here }) }
  await rateLimit(app, limits.identityCodesPerAccount, session.userId)
  const person = await findHubPerson(app, session.userId, session)
  if (!person) throw new AppError('unauthenticated')
  const { refusal } = person
  if (refusal) {
    app.log.info('identity refused', { app: request.appId, code: refusal, requestId: visit.requestId })
    const href = signInPathFor({ returnPath: here, again: true })
    return refusedPerson(app, { ...person, refusal }, href, visit.language)
  }
  const { appId, clientId, redirectUri, codeChallenge, state } = request
  const { provider, providerDomain } = session
  const input = { userId: person.id, provider, providerDomain, appId, clientId, redirectUri, codeChallenge }
  const code = await issueIdentityCode(app, input, await visit.sessionId())
  app.log.info('identity code issued', { app: appId, userId: person.id, requestId: visit.requestId })
  return { location: `${redirectUri}?${new URLSearchParams({ code, state })}` }
}

/** The address of this request for the sign-in page: unchanged, or without the parts that the page would reject. */
function pathOfRequest(app: App, query: string, request: AuthorizeRequest): string {
  const spellings = [query, toQuery(request)].map(each => IDENTITY_AUTHORIZE_PATH + each)
  const safePath = spellings.find(path => safeReturnPath(path, app.config.baseUrl) === path)
  if (safePath === undefined) throw refused('The request is too long.')
  return safePath
}

/** A request to sign a person in to an application that matches its registration exactly. */
interface AuthorizeRequest extends AppClaim {
  state: string
  codeChallenge: string
}

const LONGEST_ADDRESS = 512

/** The format of each parameter, with the message for a mismatch. */
const shapes = {
  response_type: [/^code$/, 'response_type is code.'],
  app: [/^[a-z][a-z0-9-]{0,62}$/, 'app is the id of an application.'],
  client_id: [/^[A-Za-z0-9._~-]{1,128}$/, 'client_id has letters, digits and ._~- only.'],
  redirect_uri: [new RegExp(`^[!-~]{1,${LONGEST_ADDRESS}}$`), 'redirect_uri is an address.'],
  // The length that makes it hard to guess is the application's responsibility (RFC 6749 §10.12).
  state: [/^[ -~]{1,512}$/, 'state has 1 to 512 characters of ASCII.'],
  code_challenge: [CODE_CHALLENGE, 'code_challenge is a SHA-256 value as base64url.'],
  code_challenge_method: [/^S256$/, 'code_challenge_method is S256.'],
} as const satisfies Record<string, readonly [shape: RegExp, rule: string]>

type Parameter = keyof typeof shapes

/** Defaults of missing parameters. The method is always S256, so applications need not send it. */
const defaults: ReadonlyMap<string, string> = new Map([['code_challenge_method', 'S256']])

/** Reads the request from a query. Throws `invalid-authorization-request`, signed in or not. */
function readAuthorizeRequest(hub: HubConfig, query: string): AuthorizeRequest {
  const parameters = readParameters(query, refused)
  const [repeated] = parameters.repeated
  if (repeated !== undefined) throw refused(sentTwice(repeated))
  for (const [name, [shape, rule]] of Object.entries(shapes)) {
    const value = parameters.get(name) ?? defaults.get(name)
    if (value === undefined) throw refused(`${name} is missing.`)
    if (!shape.test(value)) throw refused(rule)
  }
  const get = (name: Parameter) => parameters.get(name) ?? ''
  const claim = { appId: get('app'), clientId: get('client_id'), redirectUri: get('redirect_uri') }
  const [difference] = registrationDifferences(hub, claim)
  if (difference) throw refused(notRegistered[difference.field])
  return { ...claim, state: get('state'), codeChallenge: get('code_challenge') }
}

/** The query of this request, without additional parameters. */
const toQuery = ({ appId, clientId, redirectUri, state, codeChallenge }: AuthorizeRequest): string =>
  `?${new URLSearchParams({
    response_type: 'code',
    app: appId,
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })}`

/** The refusal of an authorization request. It is shown in the browser and never sent to an address of the request. */
const refused = (detail: string): AppError => new AppError('invalid-authorization-request', { detail })

// Any visitor can read these messages, so they do not reveal what is registered.
const NO_APPLICATION = 'There is no application of this id.'
const OTHER_ADDRESS = 'redirect_uri is not the address that the application has registered.'
const notRegistered: Record<RegistrationDifference['field'], string> = {
  app: NO_APPLICATION,
  capability: NO_APPLICATION,
  client_id: 'The application has another client id.',
  origin: OTHER_ADDRESS,
  callback_path: OTHER_ADDRESS,
  redirect_uri: OTHER_ADDRESS,
}

/** The page for a person whom the hub does not identify to other applications, with the next step. */
function refusedPerson(
  app: App,
  { email, refusal }: Required<HubPerson>,
  href: string,
  language: Language = offered.defaultLanguage,
) {
  const { title, lead, todo, button } = messagesOf(language).hub[refusal]
  return noteAnswer(app, 403, {
    title,
    lead: fill(lead, { email, product: app.config.name }),
    detail: todo,
    link: { href, text: button },
    code: refusal,
    language,
  })
}
