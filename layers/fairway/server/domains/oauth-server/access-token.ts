// Access tokens of `/mcp` are JWTs (RFC 9068), each bound to the grant that it was issued from.
import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { remembered } from '#fairway/server/kernel/remember'
import { MCP_PATH } from '#fairway/shared/paths'
import type { GrantRow } from './grants'
import { OAuthError } from './oauth-error'
import { SIGNING_ALGORITHM, signClaims, verificationKey } from './signing-keys'

const TYPE = 'at+jwt'

/** The exact address of the protected endpoint: what tokens are for. */
export const mcpUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => baseUrl + MCP_PATH

/**
 * Throws `invalid_target` for a resource that is not ours (RFC 8707 §2). Every address of this origin means the endpoint, since there
 * is nothing else to get a token for; one for another server is never issued, or that server could have our tokens sent to it.
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

/** The grant that a token is issued from, as it is now. */
type TokenSubject = Omit<GrantRow, 'scope'>

/** Signs an access token for as long as the setting says, and no longer than its grant (RFC 9068); gives it with the seconds it is good for. */
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

/** Signs the access token and puts the answer of the token endpoint together (RFC 6749 §5.1). */
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

/** What a token of ours says; null for everything that is not one, or has ended. Whether its grant is live is not looked at. */
export async function verifyAccessToken(app: App, token: string): Promise<AccessTokenClaims | null> {
  const tokens = remembered<VerifiedToken>(app, 'access-tokens')
  const hash = sha256(token)
  const known = tokens.get(hash) ?? (await verify(app, token))
  if (!known || known.claims.exp * 1000 <= app.now().getTime()) return null
  // A key that was taken away takes what it signed along.
  if (!(await verificationKey(app, known.keyId))) return null
  tokens.set(hash, known)
  return known.claims
}

/** A signature is good for ever, so it is checked once: that is more than half of a call. */
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
    // The type to the letter: the library would take other spellings too.
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
