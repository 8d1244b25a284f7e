import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { SharedSecret } from '#fairway/server/kernel/config/identity-config'
import { newId } from '#fairway/server/kernel/crypto/random'
import { claimOneTime } from '#fairway/server/kernel/one-time/one-time'

/** What a token is for: a call of another application, or what the identity hub says of a person. */
export type PeerTokenType = 'a2a+jwt' | 'identity+jwt'

export const PEER_TOKEN_LIFE_IN_SECONDS = 60
/** No token of another implementation may be good for longer. */
const MOST_LIFE_IN_SECONDS = 300
const SKEW_IN_SECONDS = 30
const MOST_CHARACTERS = 4096
/** The ids (`jti`, RFC 7519 §4.1.7) of tokens that were used: all instances refuse them a second time. */
const USED = { name: 'peer-token' }

/** Why a token is not accepted; the reason is for the log, never for the other side. */
export class PeerTokenError extends Error {
  override name = 'PeerTokenError'
}

/** What signing and reading need: no database. */
type Signer = Pick<App, 'config' | 'now'>

interface SignInput {
  type: PeerTokenType
  /** Exactly whom it is for: the other application's origin, or a callback address. */
  audience: string
  subject: string
  claims?: Record<string, string | boolean | undefined>
}

/** A token for one other application, good for 60 seconds and once (JWT, HS256); throws when there is no shared secret. */
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
  /** Who must have signed it; any holder of the secret when not given. */
  issuer?: string
}

/**
 * What a token of another application says, which is used up by this: type, key, audience and times are right and it was not
 * used before. Throws PeerTokenError.
 */
export async function verifyPeerToken(app: App, token: string, input: VerifyInput): Promise<PeerClaims> {
  const claims = await readPeerToken(app, token, input)
  const { iss, jti, exp } = claims
  const isFirst = await claimOneTime(app, USED, `${iss}\n${jti}`, new Date((exp + SKEW_IN_SECONDS) * 1000))
  if (!isFirst) throw new PeerTokenError('it was used before')
  return claims
}

/** As verifyPeerToken, but the token is not used up: only for programs that sign no user in. Throws PeerTokenError. */
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
 * The keys that verify, the one that signs first. An assertion is signed with the shared secret itself, so that hubs and
 * applications of every make understand each other; our calls have a key derived for them, and the secret itself verifies too.
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
