import { z } from 'zod'
import type { App } from '#server/foundation/app-context'
import { mcpUrl } from './endpoints'
import { OAuthError, type OAuthErrorCode } from './oauth-error'

/** A request of the token or revocation endpoint: its form and its headers. */
export interface ClientRequest {
  /** Fields that were sent once each. */
  form: Record<string, string>
  /** The `Authorization` header. */
  authorization?: string
}

const MOST_CHARACTERS = 2048

/** The fields that carry something; an empty one counts as not sent (RFC 6749 §3.2). Throws `invalid_request` for overlong ones. */
export function readFields(form: Record<string, string>): Partial<Record<string, string>> {
  for (const [name, value] of Object.entries(form)) {
    if (value.length > MOST_CHARACTERS) throw new OAuthError('invalid_request', `${known(name)} is too long.`)
  }
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
}

// What was sent is not repeated: it may be anything.
const known = (name: string): string => (/^[a-z_]{1,30}$/.test(name) ? name : 'A field')

/** The value of a field that must be there; throws `invalid_request`. */
export function requireField(fields: Partial<Record<string, string>>, name: string): string {
  const value = fields[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Throws `invalid_client` for a client that brings a secret: every client here is a public one and was given none. */
export function refuseClientAuthentication({ form, authorization }: ClientRequest): void {
  if (authorization !== undefined) {
    const scheme = /^[a-z]{1,20}/i.exec(authorization)?.[0] ?? 'Basic'
    throw new OAuthError('invalid_client', PUBLIC_ONLY, 401, {
      headers: { 'www-authenticate': `${scheme} realm="oauth"` },
    })
  }
  if (form.client_secret || form.client_assertion) throw new OAuthError('invalid_client', PUBLIC_ONLY, 401)
}

const PUBLIC_ONLY = 'Clients are public here: send client_id alone.'

/** Throws `invalid_target` when a resource is named that is not our endpoint, to the letter (RFC 8707). */
export function checkResource(app: App, resource: string | undefined): void {
  if (resource !== undefined && resource !== mcpUrl(app.config)) {
    throw new OAuthError('invalid_target', `The resource of this server is ${mcpUrl(app.config)}.`)
  }
}

const verifierSchema = z.string().regex(/^[A-Za-z0-9\-._~]{43,128}$/)

/** The code verifier (RFC 7636 §4.1); throws `invalid_request` when it is missing and `invalid_grant` when it can be none. */
export function requireVerifier(fields: Partial<Record<string, string>>): string {
  const verifier = verifierSchema.safeParse(requireField(fields, 'code_verifier'))
  if (!verifier.success) throw refusedGrant('The code verifier is not well formed.')
  return verifier.data
}

/** The refusal of a code or a refresh token; it says as little as can help a developer. */
export const refusedGrant = (description: string, error: OAuthErrorCode = 'invalid_grant'): OAuthError =>
  new OAuthError(error, description)
