import { z } from 'zod'
import { constantTimeEqual } from '#fairway/server/kernel/crypto/hash'

/** Signatures that an ID token may have; all with a key pair, so the public key cannot make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_IN_SECONDS = 30

const claimsSchema = z.looseObject({
  sub: z.string().min(1).max(255),
  nonce: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
})
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

export type IdTokenClaims = z.output<typeof claimsSchema>

export interface IdTokenExpectation {
  issuer: string
  clientId: string
  nonce: string
  /** The algorithms that the issuer announces; RS256 when it announces none. */
  algorithms?: string[]
  /** Fetches the issuer's key set (RFC 7517). */
  fetchKeys(): Promise<unknown>
  /** The key set is kept under this object for five minutes, and fetched again for a key id that is not in it. */
  keysOf: object
  now: Date
}

/** Checks signature, issuer, audience, nonce and times of an ID token (OpenID Connect Core §3.1.3.7); throws when one is wrong. */
export async function verifyIdToken(token: string, expected: IdTokenExpectation): Promise<IdTokenClaims> {
  const { verifyJwsAccessToken } = await import('better-auth/oauth2')
  const { issuer, clientId: audience, algorithms = ['RS256'], now: currentDate } = expected
  const payload = await verifyJwsAccessToken(token, {
    jwksFetch: async () => keySetSchema.parse(await expected.fetchKeys()),
    jwksCacheKey: expected.keysOf,
    verifyOptions: {
      issuer,
      audience,
      algorithms: algorithms.filter(name => ALGORITHMS.includes(name)),
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: CLOCK_TOLERANCE_IN_SECONDS,
      currentDate,
    },
  })
  const claims = claimsSchema.parse(payload)
  if (!constantTimeEqual(claims.nonce, expected.nonce)) throw new Error('the nonce is not the one that was sent')
  const audiences = [claims.aud].flat()
  if (claims.azp === undefined ? audiences.length > 1 : claims.azp !== audience)
    throw new Error('the token was made for another client')
  return claims
}
