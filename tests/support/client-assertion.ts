import { randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A key pair of a client. */
export interface ClientKey {
  alg: string
  kid: string
  /** The public half, as clients publish it. */
  jwk: JWK
  privateJwk: JWK
  privateKey: CryptoKey
}

/** Makes a new key pair. */
export async function makeClientKey(alg = 'RS256', kid: string = randomUUID()): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg }
  return { alg, kid, jwk, privateJwk: { ...(await exportJWK(privateKey)), kid }, privateKey }
}

/** The claims of a valid assertion (RFC 7523 §3), good for a minute. */
export const assertionClaims = (clientId: string, aud: string | string[]): JWTPayload => ({
  iss: clientId,
  sub: clientId,
  aud,
  jti: randomUUID(),
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 60,
})

/** Signs claims as a client assertion; returns the fields of the form. */
export const signAssertion = async (
  key: Pick<ClientKey, 'alg' | 'privateKey'> & { kid?: string },
  claims: JWTPayload,
) => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: await new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, ...(key.kid ? { kid: key.kid } : {}) })
    .sign(key.privateKey),
})
