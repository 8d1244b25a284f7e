import { checkNotSuspended } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { CODE_VERIFIER } from '#fairway/server/kernel/crypto/random'
import { decodedText } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isServiceKey } from '#fairway/shared/secrets'
import { errorCatalog } from '#fairway/shared/errors'
import { OAuthError, type OAuthErrorCode } from './oauth-error'

/** A request of the token or revocation endpoint: its form and its headers. */
export interface ClientRequest {
  /** Fields that were sent once each. */
  form: Record<string, string>
  /** The `Authorization` header. */
  authorization?: string
  /** The address key of the caller, for the limits of fetches. */
  network?: string
}

const MOST_CHARACTERS = 2048
/** An assertion names the client twice and has a signature. */
const MOST_CHARACTERS_OF_ASSERTION = 8192

/** The fields of a request that are not empty. */
export type Fields = Partial<Record<string, string>>

/**
 * Returns the fields that are not empty; an empty one counts as not sent (RFC 6749 §3.2). `client_id` also comes from the header,
 * with the secret. A service account may send its key among the fields. Throws `invalid_request` for overlong fields and for two
 * different clients, and `invalid_client` for another secret among the fields.
 */
export function readFields({ form, authorization }: ClientRequest): { fields: Fields; secret?: string } {
  for (const [name, value] of Object.entries(form)) {
    const most = /^(client_)?assertion$/.test(name) ? MOST_CHARACTERS_OF_ASSERTION : MOST_CHARACTERS
    if (value.length > most) throw new OAuthError('invalid_request', `${known(name)} is too long.`)
  }
  const fields: Fields = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
  if (fields.client_secret !== undefined) return postedSecret(fields, authorization)
  if (authorization === undefined) return { fields }
  const { clientId, secret } = readHeader(authorization)
  if (fields.client_id !== undefined && fields.client_id !== clientId) {
    if (secret !== '') throw refusedSecret(authorization)
    throw new OAuthError('invalid_request', 'client_id is not the client of the Authorization header.')
  }
  return { fields: { ...fields, client_id: clientId }, ...(secret === '' ? {} : { secret }) }
}

/** The key of a service account among the fields (`client_secret_post`). Two ways at once are refused (RFC 6749 §2.3). */
function postedSecret({ client_secret: secret, ...fields }: Fields, authorization: string | undefined) {
  if (!isServiceKey(secret) || authorization !== undefined) throw new OAuthError('invalid_client', NO_SECRETS, 401)
  return { fields, secret }
}

// The sent name is not repeated, because it can be anything.
const known = (name: string): string => (/^[a-z_]{1,30}$/.test(name) ? name : 'A field')

/** Returns the value of a required field; throws `invalid_request`. */
export function requireField(fields: Fields, name: string): string {
  const value = fields[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Returns what a header names. Some libraries send one with an empty secret. Throws `invalid_client` for other schemes. */
function readHeader(authorization: string): { clientId: string; secret: string } {
  const [, credentials = ''] = /^basic +([\w+/-]+=*)$/i.exec(authorization) ?? []
  const [, ...parts] = /^([^:]+):(.*)$/.exec(Buffer.from(credentials, 'base64').toString()) ?? []
  // Encoded as in RFC 6749 §2.3.1.
  const [clientId, secret] = parts.map(part => decodedText(part.replaceAll('+', ' ')))
  if (!clientId || clientId.length > MOST_CHARACTERS || secret === undefined) throw refusedSecret(authorization)
  return { clientId, secret }
}

/** The refusal of a client's secret, with a challenge for the scheme that it used (RFC 6749 §5.2). */
export function refusedSecret(authorization: string | undefined): OAuthError {
  const scheme = /^[a-z]{1,20}/i.exec(authorization ?? '')?.[0] ?? 'Basic'
  const headers = { 'www-authenticate': `${scheme} realm="oauth"` }
  return new OAuthError('invalid_client', NO_SECRETS, 401, { headers })
}

const NO_SECRETS =
  'Managed clients send their secret by client_secret_basic, service accounts their key by that or client_secret_post. ' +
  'Others send client_id alone, or a signed client_assertion.'

/**
 * Returns the code verifier (RFC 7636 §4.1). Throws `invalid_request` when it is missing and `invalid_grant` when it is
 * malformed.
 */
export function requireVerifier(fields: Fields): string {
  const verifier = requireField(fields, 'code_verifier')
  if (!CODE_VERIFIER.test(verifier)) throw refusedGrant('The code verifier is not well formed.')
  return verifier
}

/** The refusal of a code or a refresh token. It says only as much as a developer needs. */
export const refusedGrant = (description: string, error: OAuthErrorCode = 'invalid_grant'): OAuthError =>
  new OAuthError(error, description)

/** Throws `invalid_grant` while the person of a code or a token is suspended. The description begins with our code. */
export async function refuseSuspended(app: App, userId: string | null): Promise<void> {
  if (userId === null) return
  await checkNotSuspended(app, userId).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'account-suspended') throw error
    throw refusedGrant(`${error.code}: ${errorCatalog[error.code].title}`)
  })
}
