import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type AppClaim, registrationDifferences } from './find-registration'
import type { RegistrationDifference } from './registration-answer'

/** A request to sign somebody in to an application that is registered exactly so. */
export interface AuthorizeRequest extends AppClaim {
  state: string
  codeChallenge: string
}

const LONGEST_QUERY = 8 * 1024
const LONGEST_ADDRESS = 512

/** What each parameter must look like, and how that is said. */
const shapes = {
  response_type: [/^code$/, 'response_type is code.'],
  app: [/^[a-z][a-z0-9-]{0,62}$/, 'app is the id of an application.'],
  client_id: [/^[A-Za-z0-9._~-]{1,128}$/, 'client_id has letters, digits and ._~- only.'],
  redirect_uri: [new RegExp(`^[!-~]{1,${LONGEST_ADDRESS}}$`), 'redirect_uri is an address.'],
  // How long it must be to be hard to guess is the application's affair (RFC 6749 §10.12).
  state: [/^[ -~]{1,512}$/, 'state has 1 to 512 characters of ASCII.'],
  code_challenge: [/^[A-Za-z0-9_-]{43}$/, 'code_challenge is a SHA-256 value as base64url.'],
  code_challenge_method: [/^S256$/, 'code_challenge_method is S256.'],
} as const satisfies Record<string, readonly [shape: RegExp, rule: string]>

type Parameter = keyof typeof shapes

/** What counts where nothing was sent: the method is S256 always, so nobody has to say it. */
const defaults: ReadonlyMap<string, string> = new Map([['code_challenge_method', 'S256']])

/** The request that a query says; throws `invalid-authorization-request`, whoever is signed in. */
export function readAuthorizeRequest(hub: HubConfig, query: string): AuthorizeRequest {
  const sent = readOnce(query)
  for (const [name, [shape, rule]] of Object.entries(shapes)) {
    const value = sent.get(name) ?? defaults.get(name)
    if (value === undefined) throw refused(`${name} is missing.`)
    if (!shape.test(value)) throw refused(rule)
  }
  const get = (name: Parameter) => sent.get(name) ?? ''
  const claim = { appId: get('app'), clientId: get('client_id'), redirectUri: get('redirect_uri') }
  const [difference] = registrationDifferences(hub, claim)
  if (difference) throw refused(notRegistered[difference.field])
  return { ...claim, state: get('state'), codeChallenge: get('code_challenge') }
}

/** The query of exactly this request, without anything else that was sent. */
export const toQuery = ({ appId, clientId, redirectUri, state, codeChallenge }: AuthorizeRequest): string =>
  `?${new URLSearchParams({
    response_type: 'code',
    app: appId,
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })}`

/** The refusal of an authorization request: it goes to whoever looks, never to an address that it names. */
export const refused = (detail: string): AppError => new AppError('invalid-authorization-request', { detail })

// Whoever looks may be anybody: what is registered is not told.
const notRegistered: Record<RegistrationDifference['field'], string> = {
  app: 'There is no application of this id.',
  capability: 'There is no application of this id.',
  client_id: 'The application has another client id.',
  origin: 'redirect_uri is not the address that the application has registered.',
  callback_path: 'redirect_uri is not the address that the application has registered.',
  redirect_uri: 'redirect_uri is not the address that the application has registered.',
}

/** The parameters that carry something (RFC 6749 §3.1); what comes twice is refused, known or not. */
function readOnce(query: string): ReadonlyMap<string, string> {
  if (query.length > LONGEST_QUERY) throw refused('The request is too long.')
  const sent = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (sent.has(name)) throw refused(`${/^\w{1,40}$/.test(name) ? name : 'A parameter'} was sent twice.`)
    sent.set(name, value)
  }
  return new Map([...sent].filter(([, value]) => value !== ''))
}
