import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { SharedSecret } from '#fairway/server/kernel/config/identity-config'
import { newId } from '#fairway/server/kernel/crypto/random'
import { claimOneTime } from '#fairway/server/kernel/one-time/one-time'

/** The purpose of a token: a call to another application, or a statement of the identity hub about a person. */
export type PeerTokenType = 'a2a+jwt' | 'identity+jwt'

export const PEER_TOKEN_LIFE_IN_SECONDS = 60
/** Tokens of other implementations must not be valid for longer. */
const MOST_LIFE_IN_SECONDS = 300
const SKEW_IN_SECONDS = 30
const MOST_CHARACTERS = 4096
/** The ids (`jti`, RFC 7519 §4.1.7) of used tokens. All instances refuse them a second time. */
const USED = { name: 'peer-token' }

/** Explains why a token is refused. The reason is for the log only and is never sent to the other application. */
export class PeerTokenError extends Error {
  override name = 'PeerTokenError'
}

/** The parts of the app that signing and reading require; no database. */
type Signer = Pick<App, 'config' | 'now'>

interface SignInput {
  type: PeerTokenType
  /** The exact audience: the other application's origin or a callback address. */
  audience: string
  subject: string
  claims?: Record<string, string | boolean | undefined>
}

/**
 * Signs a single-use token for one other application, valid for 60 seconds (JWT, HS256). Throws when there is no shared secret.
 */
export async function signPeerToken(app: Signer, { type, audience, subject, claims = {} }: SignInput): Promise<string> {
  const { shared } = app.config.identity
  if (!shared) throw new Error('A2A_SECRET is missing')
  const now = Math.floor(app.now().getTime() / 1000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: type })
    .setIssuer(app.config.baseUrl)
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + PEER_TOKEN_LIFE_IN_SECONDS)
    .setJti(newId())
    .sign(signingKey(shared, type))
}

const claimsSchema = z.looseObject({
  iss: z.string().min(1).max(2048),
  sub: z.string().min(1).max(320),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  jti: z.string().min(8).max(200),
})
export type PeerClaims = z.infer<typeof claimsSchema>

interface VerifyInput {
  type: PeerTokenType
  audience: string
  /** The required issuer. Default: any holder of the secret. */
  issuer?: string
}

/**
 * Verifies a token of another application, uses it up and returns its claims. Checks the type, key, audience and times, and
 * that the token is unused. Throws PeerTokenError.
 */
export async function verifyPeerToken(app: App, token: string, input: VerifyInput): Promise<PeerClaims> {
  const claims = await readPeerToken(app, token, input)
  const { iss, jti, exp } = claims
  const isFirst = await claimOneTime(app, USED, `${iss}\n${jti}`, new Date((exp + SKEW_IN_SECONDS) * 1000))
  if (!isFirst) throw new PeerTokenError('it was used before')
  return claims
}

/** Like `verifyPeerToken`, but does not use up the token: only for programs that sign no user in. Throws PeerTokenError. */
export async function readPeerToken(app: Signer, token: string, input: VerifyInput): Promise<PeerClaims> {
  const { shared } = app.config.identity
  if (!shared) throw new PeerTokenError('there is no shared secret')
  if (token.length > MOST_CHARACTERS) throw new PeerTokenError('it is too long')
  const payload = await verifyWithAny(keysOf(shared, input.type).map(toBytes), app, token, input)
  const parsed = claimsSchema.safeParse(payload)
  if (!parsed.success) throw new PeerTokenError('a claim is missing or has the wrong form')
  const { iat, exp } = parsed.data
  if (exp - iat > MOST_LIFE_IN_SECONDS) throw new PeerTokenError('it is good for too long')
  return parsed.data
}

/**
 * The keys that verify; the first one signs. Assertions are signed with the shared secret itself, for compatibility with other
 * implementations. Our calls use a key derived for them, and the secret itself verifies them too.
 */
function keysOf({ keys, secrets }: SharedSecret, type: PeerTokenType): [string, ...string[]] {
  if (type === 'identity+jwt') return secrets
  return [
    keys.current('a2a').secret,
    ...keys
      .all('a2a')
      .slice(1)
      .map(({ secret }) => secret),
    ...secrets,
  ]
}

const signingKey = (shared: SharedSecret, type: PeerTokenType): Uint8Array => toBytes(keysOf(shared, type)[0])

async function verifyWithAny(
  keys: Uint8Array[],
  app: Signer,
  token: string,
  { type, audience, issuer }: VerifyInput,
): Promise<JWTPayload> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: type,
        audience,
        issuer,
        requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
        clockTolerance: SKEW_IN_SECONDS,
        maxTokenAge: MOST_LIFE_IN_SECONDS,
        currentDate: app.now(),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      throw new PeerTokenError(error instanceof errors.JOSEError ? error.code : 'it cannot be read', { cause: error })
    }
  }
  throw new PeerTokenError('it is signed with another secret')
}

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
