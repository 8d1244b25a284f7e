// Access tokens of `/mcp` are JWTs (RFC 9068). Each is bound to the grant that it was issued from.
import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { cacheOf } from '#fairway/server/kernel/cache'
import { MCP_PATH } from '#fairway/shared/paths'
import type { GrantRow } from './grants'
import { OAuthError } from './oauth-error'
import { SIGNING_ALGORITHM, signClaims, verificationKey } from './signing-keys'

const TYPE = 'at+jwt'

/** The exact address of the protected endpoint, and the audience of its tokens. */
export const mcpUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => baseUrl + MCP_PATH

/**
 * Throws `invalid_target` for a resource of another server (RFC 8707 §2). Every address of this origin means the endpoint, since
 * tokens exist for nothing else. A token for another server is never issued, because that server could then receive our tokens.
 */
export function checkResource(config: Pick<Config, 'baseUrl'>, resource: string | undefined): void {
  if (resource === undefined || URL.parse(resource)?.origin === config.baseUrl) return
  throw new OAuthError('invalid_target', `The resource of this server is ${mcpUrl(config)}.`)
}

const claimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string().min(1),
  email: z.string().min(1),
  org_id: z.string().min(1),
  client_id: z.string().min(1),
  scope: z.string(),
  jti: z.string().min(1),
  iat: z.number().int(),
  exp: z.number().int(),
  grant_id: z.string().min(1),
})

export type AccessTokenClaims = z.output<typeof claimsSchema>

/** The grant that a token is issued from, in its current state. */
type TokenSubject = Omit<GrantRow, 'scope'>

/**
 * Signs an access token (RFC 9068) for the configured life, at most until its grant ends. Returns it with its life in seconds.
 */
export async function signAccessToken(app: App, subject: TokenSubject, scope: string) {
  const now = app.now().getTime()
  const issuedAt = Math.floor(now / 1000)
  const longest = now + app.config.oauth.accessTokenLifeInSeconds * 1000
  const expiresAt = Math.floor(Math.min(longest, subject.expiresAt) / 1000)
  const claims = {
    iss: app.config.baseUrl,
    aud: mcpUrl(app.config),
    sub: subject.userId,
    email: subject.email,
    org_id: subject.orgId,
    client_id: subject.clientId,
    scope,
    jti: newId(),
    iat: issuedAt,
    exp: expiresAt,
    grant_id: subject.grantId,
  } satisfies AccessTokenClaims
  return { token: await signClaims(app, TYPE, claims), expiresIn: expiresAt - issuedAt }
}

/** Signs the access token and builds the response of the token endpoint (RFC 6749 §5.1). */
export async function tokenAnswer(app: App, subject: TokenSubject, scope: string, refreshToken: string | undefined) {
  const { token, expiresIn } = await signAccessToken(app, subject, scope)
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}

export type TokenAnswer = Awaited<ReturnType<typeof tokenAnswer>>

/**
 * Returns the claims of a valid access token; null for anything invalid or expired. It does not check whether the grant is live.
 */
export async function verifyAccessToken(app: App, token: string): Promise<AccessTokenClaims | null> {
  const tokens = cacheOf<VerifiedToken>(app, 'access-tokens')
  const hash = sha256(token)
  const known = tokens.get(hash) ?? (await verify(app, token))
  if (!known || known.claims.exp * 1000 <= app.now().getTime()) return null
  // Removing a key invalidates everything that it signed.
  if (!(await verificationKey(app, known.keyId))) return null
  tokens.set(hash, known)
  return known.claims
}

/** A signature stays valid, so it is checked once. The check takes more than half of a call. */
interface VerifiedToken {
  claims: AccessTokenClaims
  keyId: string
}

async function verify(app: App, token: string): Promise<VerifiedToken | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => keyOf(app, kid), {
      algorithms: [SIGNING_ALGORITHM],
      issuer: app.config.baseUrl,
      audience: mcpUrl(app.config),
      currentDate: app.now(),
    })
    const claims = claimsSchema.safeParse(payload)
    // The type is compared exactly; the library would accept other spellings too.
    const isOurs = protectedHeader.typ === TYPE && claims.success
    return isOurs ? { claims: claims.data, keyId: protectedHeader.kid ?? '' } : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

async function keyOf(app: App, kid: string | undefined) {
  const key = typeof kid === 'string' && kid.length <= 64 ? await verificationKey(app, kid) : undefined
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}
