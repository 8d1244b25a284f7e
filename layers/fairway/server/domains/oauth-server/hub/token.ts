import { z } from 'zod'
import { PEER_TOKEN_LIFE_IN_SECONDS, signPeerToken } from '#fairway/server/domains/peers'
import { SESSION_HOLDS, findPerson, isLocalIdentity, mayOpen } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { CODE_VERIFIER, matchesChallenge } from '#fairway/server/kernel/crypto/random'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import {
  issueOneTime,
  type OneTime,
  type OneTimePurpose,
  peekOneTime,
  spendOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'
import type { Visit } from '../authorization-endpoint'
import { OAuthError, toOAuthAnswer } from '../oauth-error'
import { refuseSuspended } from '../token-request'
import { registrationDifferences } from './registration'

const codeSchema = z.object({
  userId: z.string(),
  /** The provider that the person signed in with at the hub. */
  provider: z.string(),
  /** The domain or tenant that this provider vouched for. */
  providerDomain: z.string().optional(),
  appId: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  codeChallenge: z.string(),
})
type IdentityCode = z.output<typeof codeSchema>

/** A code of the hub for one sign-in at one application, valid for a minute. Its subject is the user. */
export const identityCode: OneTimePurpose<IdentityCode> = {
  name: 'identity-code',
  lifeInSeconds: 60,
  payload: codeSchema,
}

/**
 * Issues a code for one sign-in at one application: 256 random bits, usable once within 60 seconds. Only its hash is stored.
 * Throws `unauthenticated` when the session has ended.
 */
export async function issueIdentityCode(app: App, payload: IdentityCode, sessionId: string | null): Promise<string> {
  const where = { sql: SESSION_HOLDS, args: [sessionId, sessionId] }
  const issued = await issueOneTime(app, identityCode, { payload, subject: payload.userId, where })
  if (!issued) throw new AppError('unauthenticated')
  return issued.secret
}

/** Spends a code and returns its content, expired or not. Of all concurrent callers one gets it; the others get null. */
export const spendIdentityCode = (app: App, code: string): Promise<OneTime<IdentityCode> | null> =>
  spendOneTime(app, identityCode, code, { evenExpired: true })

const field = z.string().min(1).max(2048)

/** An optional field; an empty one counts as missing (RFC 6749 §3.2). */
const optionalField = z.preprocess(value => (value === '' ? undefined : value), field.optional())

const requestSchema = z
  .object({
    code: field,
    code_verifier: z.string().regex(CODE_VERIFIER),
    client_id: optionalField,
    redirect_uri: optionalField,
  })
  .transform(({ code, code_verifier: verifier, client_id: clientId, redirect_uri: redirectUri }) => ({
    code,
    verifier,
    clientId,
    redirectUri,
  }))

/** A token request: the code and its verifier, and optionally the client and the redirect address. */
type TokenRequest = z.output<typeof requestSchema>

/** Reads a token request with the required fields `code` and `code_verifier`. Throws OAuthError; the code stays usable. */
export function readTokenRequest(fields: Record<string, unknown>): TokenRequest {
  const { grant_type: grantType = '' } = fields
  if (grantType !== '' && grantType !== 'authorization_code') {
    throw new OAuthError('unsupported_grant_type', 'grant_type is authorization_code.')
  }
  const parsed = requestSchema.safeParse(fields)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new OAuthError('invalid_request', `${String(issue?.path[0] ?? 'A field')} is missing or not well formed.`)
}

/** Converts an error of the hub's token endpoint to a response of RFC 6749 §5.2; a 5xx is thrown again. */
export function toTokenRefusal(thrown: unknown) {
  const error = thrown instanceof OAuthError ? thrown : toAppError(thrown)
  if (error.status >= 500) throw thrown
  return toOAuthAnswer(error)
}

const REFUSED = 'The code is not known, has ended, was used, or belongs to another request.'

/**
 * Exchanges a code for an assertion. The first attempt spends the code, even when it fails. Throws OAuthError. A second use and a
 * mismatch are recorded as security events.
 */
export async function redeemIdentityCode(app: App, hub: HubConfig, request: TokenRequest, visit: Visit) {
  const spent = await spendIdentityCode(app, request.code)
  if (!spent) throw await refuseUnspendable(app, request, visit)
  const { userId, provider, providerDomain, appId, clientId, redirectUri } = spent.payload
  const misfit = misfitOf(spent.payload, request)
  if (misfit) {
    await recordSecurityEvent(app, { kind: 'identity-code-refused', ...visit, subject: appId, userId, reason: misfit })
    throw new OAuthError('invalid_grant', REFUSED)
  }
  if (spent.isExpired) throw new OAuthError('invalid_grant', REFUSED)
  if (registrationDifferences(hub, spent.payload).length > 0) {
    throw new OAuthError('unauthorized_client', 'The application is not registered any more.')
  }
  const person = await findHubPerson(app, userId)
  await refuseSuspended(app, userId)
  if (!person || person.refusal) throw new OAuthError('invalid_grant', 'The account may not sign in any more.')
  const assertion = await signPeerToken(app, {
    type: 'identity+jwt',
    audience: redirectUri,
    subject: person.id,
    claims: {
      email: person.email,
      email_verified: true,
      auth_provider: provider,
      auth_domain: providerDomain,
      client_id: clientId,
    },
  })
  app.log.info('identity asserted', { app: appId, userId: person.id, requestId: visit.requestId })
  return { assertion, token_type: 'identity-assertion', expires_in: PEER_TOKEN_LIFE_IN_SECONDS }
}

/**
 * Returns which field of a request does not match the code, without its value. Optional fields are compared when they are sent.
 */
function misfitOf(code: IdentityCode, { clientId, redirectUri, verifier }: TokenRequest): string | undefined {
  if (clientId !== undefined && code.clientId !== clientId) return 'it came with another client id'
  if (redirectUri !== undefined && code.redirectUri !== redirectUri) return 'it came with another redirect address'
  if (!matchesChallenge(code.codeChallenge, verifier)) return 'it came with another verifier'
  return undefined
}

async function refuseUnspendable(app: App, { code }: TokenRequest, visit: Visit): Promise<OAuthError> {
  const known = await peekOneTime(app, identityCode, code)
  if (known?.usedAt) {
    const { appId: subject, userId } = known.payload
    const ageInSeconds = Math.round((app.now().getTime() - known.usedAt.getTime()) / 1000)
    const reason = `used again after ${ageInSeconds} s`
    await recordSecurityEvent(app, { kind: 'identity-code-replayed', ...visit, subject, userId, reason })
  }
  return new OAuthError('invalid_grant', REFUSED)
}

export interface HubPerson {
  id: string
  email: string
  /** Why the hub does not identify them to other applications. */
  refusal?: 'dev-account-refused' | 'email-not-verified'
}

/**
 * Returns a person in their current state; null when the account is deleted. A local identity is refused, except in development.
 * With a session, that session must have proved the address. Before its owner has claimed the account, the row alone does not
 * show who is signed in.
 */
export async function findHubPerson(
  app: App,
  userId: string,
  session?: Pick<Session, 'emailVerified'>,
): Promise<HubPerson | null> {
  const person = await findPerson(app, { userId })
  if (!person) return null
  const { email } = person
  const emailVerified = person.emailVerified && session?.emailVerified !== false
  const mayBeNamed = app.config.environment === 'development' && mayOpen({ ...person, provider: 'hub' }, app.config)
  if (isLocalIdentity(person) && !mayBeNamed) return { id: userId, email, refusal: 'dev-account-refused' }
  return emailVerified ? { id: userId, email } : { id: userId, email, refusal: 'email-not-verified' }
}

const DEVELOPMENT_PROVIDERS = ['dev', 'auth-disabled']

/** Returns why the hub does not vouch for a person to other applications; undefined when it does. */
export function whyNotVouched(app: App, session: Session): 'email-not-verified' | 'not-a-real-account' | undefined {
  const isDevelopment = DEVELOPMENT_PROVIDERS.includes(session.provider) || session.email === DEV_EMAIL
  if (isDevelopment && app.config.environment !== 'development') return 'not-a-real-account'
  return session.emailVerified ? undefined : 'email-not-verified'
}
