import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { claimOneTime } from '#fairway/server/kernel/one-time/one-time'
import { OAUTH_PREFIX } from '#fairway/shared/paths'
import { isServiceKey } from '#fairway/shared/secrets'
import { findClient } from './authorize/authorize-request'
import { isForNow, keysOf } from './clients/client-keys'
import type { OAuthClient } from './clients/client-metadata'
import { ACCEPTED_ALGORITHMS } from './clients/client-signing'
import { authenticateManagedClient } from './clients/managed-clients'
import { authenticateServiceAccount, findServiceClient } from './clients/service-clients'
import { OAuthError } from './oauth-error'
import { type ClientRequest, type Fields, readFields, refusedSecret } from './token-request'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MOST_LIFE_IN_SECONDS = 600
const SKEW_IN_SECONDS = 30
/** The ids (`jti`) of used assertions. All instances refuse them a second time. */
const USED = { name: 'client-assertion' }

/** The fields of a request, and the client that has proved itself; a public client has not. */
export interface Authenticated {
  fields: Fields
  client?: OAuthClient
}

/**
 * Authenticates the client of a request (RFC 6749 §2.3): by its secret, by a signed assertion, or as a public client by its id
 * alone. Throws `invalid_client` (401) for a client that must authenticate and does not, and for a secret or an assertion that is
 * not valid.
 */
export async function authenticateClient(app: App, request: ClientRequest): Promise<Authenticated> {
  const { fields, secret } = readFields(request)
  const { client_assertion: assertion, client_id: clientId } = fields
  if (assertion !== undefined && (request.authorization !== undefined || secret !== undefined)) {
    throw new OAuthError('invalid_request', 'Send client_assertion or a secret, not both.')
  }
  if (secret !== undefined) return { fields, client: await clientOfSecret(app, request, clientId, secret) }
  if (assertion === undefined) {
    if (clientId !== undefined) await checkMayBePublic(app, clientId)
    return { fields }
  }
  if (fields.client_assertion_type !== ASSERTION_TYPE) throw refused(`client_assertion_type is not ${ASSERTION_TYPE}`)
  const subject = subjectOf(assertion)
  if (clientId !== undefined && clientId !== subject) throw refused('its sub is not the client_id')
  const client = await verifyAssertion(app, { assertion, network: request.network ?? '' }, subject)
  return { fields: { ...fields, client_id: subject }, client }
}

/** The managed client or the service account that has this secret. Throws `invalid_client` (401). */
async function clientOfSecret(
  app: App,
  { authorization }: ClientRequest,
  id: string | undefined,
  secret: string,
): Promise<OAuthClient> {
  const authenticate = isServiceKey(secret) ? authenticateServiceAccount : authenticateManagedClient
  const client = await authenticate(app, id ?? '', secret)
  if (!client) throw refusedSecret(authorization)
  return client
}

// A document is not fetched for this: what it said when the person agreed is enough, and its server may be away.
const MUST_SIGN = `select coalesce((select json_extract(signing, '$.isRequired') from oauth_clients where id = ?),
  (select must_sign from oauth_grants where client_id = ? order by created_at desc limit 1), 0) as mustSign,
  exists (select 1 from fw_managed_clients where id = ?) as isManaged`

/** Throws `invalid_client` (401) for a client that must authenticate its requests. */
export async function checkMayBePublic(app: App, clientId: string): Promise<void> {
  const find = app.memo('find-must-sign', () => app.db.prepareRead<{ mustSign: number; isManaged: number }>(MUST_SIGN))
  const [row] = await find([clientId, clientId, clientId])
  if (row?.isManaged)
    throw new OAuthError('invalid_client', 'This app must send its secret (client_secret_basic).', 401)
  if (row?.mustSign) throw new OAuthError('invalid_client', 'This app must send a signed client_assertion.', 401)
}

const refused = (reason: string, cause?: unknown): OAuthError =>
  new OAuthError('invalid_client', `The client assertion was not accepted: ${reason}.`, 401, { cause })

/** Returns the unverified subject. */
function subjectOf(assertion: string): string {
  try {
    const { sub } = decodeJwt(assertion)
    if (typeof sub === 'string' && sub !== '') return sub
  } catch (error) {
    if (!(error instanceof errors.JWTInvalid)) throw error
  }
  throw refused('it is not a JWT with a sub')
}

interface Presented {
  assertion: string
  /** The address key of the caller. */
  network: string
}

/** Verifies an assertion of this client (RFC 7523 §3) and uses it up. Returns the client. */
async function verifyAssertion(app: App, presented: Presented, clientId: string): Promise<OAuthClient> {
  const client = await requireClient(app, clientId, presented.network)
  try {
    const { jti, exp } = checkClaims(app, await verifySignature(app, client, presented))
    const until = new Date((exp + SKEW_IN_SECONDS) * 1000)
    if (!(await claimOneTime(app, USED, `${clientId}\n${jti}`, until))) throw refused('it was used before')
    return client
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    app.log.warn('a client assertion was refused', { client: clientId, reason: error.description })
    throw error
  }
}

/** Returns the client; throws `invalid_client` (401), and `temporarily_unavailable` while its document cannot be fetched. */
export async function requireClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  try {
    return (await findServiceClient(app, clientId)) ?? (await findClient(app, clientId, network))
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error !== 'invalid_client') throw error
    const { description, cause } = error
    if (isForNow(cause)) throw new OAuthError('temporarily_unavailable', description, 503, { cause })
    throw new OAuthError('invalid_client', description, 401, { cause })
  }
}

async function verifySignature(app: App, client: OAuthClient, { assertion, network }: Presented): Promise<JWTPayload> {
  const { id, signing } = client
  if (!signing) throw refused('the app has not published keys for private_key_jwt')
  try {
    const { payload } = await jwtVerify(assertion, keysOf(app, signing, network), {
      algorithms: signing.alg ? [signing.alg] : [...ACCEPTED_ALGORITHMS],
      issuer: id,
      subject: id,
      clockTolerance: SKEW_IN_SECONDS,
      currentDate: app.now(),
    })
    return payload
  } catch (error) {
    if (isAboutTheAssertion(error)) throw refused(error.message, error)
    throw error
  }
}

// The keys come from outside. For a malformed or short one, the library throws a TypeError or a DOMException.
const isAboutTheAssertion = (error: unknown): error is Error =>
  [errors.JOSEError, GuardedFetchError, TypeError, DOMException].some(kind => error instanceof kind)

const claimsSchema = z.object({
  aud: z.union([z.string(), z.array(z.string()).min(1)]),
  exp: z.number(),
  jti: z.string().min(1).max(500),
})

function checkClaims(app: App, payload: JWTPayload) {
  const claims = claimsSchema.safeParse(payload)
  if (!claims.success) throw refused(`its ${String(claims.error.issues[0]?.path[0])} is missing or malformed`)
  const { aud, exp, jti } = claims.data
  const { baseUrl } = app.config
  const ours = [baseUrl, `${baseUrl}${OAUTH_PREFIX}/token`]
  // An assertion that is also for another server could come from there.
  if (![aud].flat().every(name => ours.includes(name))) throw refused(`its aud is not ${ours.join(' or ')}`)
  if (exp > app.now().getTime() / 1000 + MOST_LIFE_IN_SECONDS + SKEW_IN_SECONDS) {
    throw refused('its exp is more than ten minutes away')
  }
  return { jti, exp }
}
