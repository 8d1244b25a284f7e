import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'

/** A key of ECDSA with P-256 as a JWK (RFC 7517), public or with its private half. */
export const es256JwkSchema = z.looseObject({ kty: z.literal('EC'), crv: z.literal('P-256') })

export type Es256Jwk = z.output<typeof es256JwkSchema>
export type Es256Key = KeyObject

/** A new pair of keys as JWKs. */
export function makeEs256Pair(): { publicJwk: Es256Jwk; privateJwk: Es256Jwk } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    publicJwk: es256JwkSchema.parse(publicKey.export({ format: 'jwk' })),
    privateJwk: es256JwkSchema.parse(privateKey.export({ format: 'jwk' })),
  }
}

/**
 * The pair of keys that follows from 32 secret bytes (hex), the same on every instance. Of 2^32 secrets, one is no key of the curve:
 * then it throws.
 */
export function deriveEs256Pair(secret: string): { publicJwk: JsonWebKey; privateJwk: JsonWebKey } {
  const scalar = Buffer.from(secret, 'hex')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'))
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y }
  return { publicJwk, privateJwk: { ...publicJwk, d: scalar.toString('base64url') } }
}

/** Returns the key that verifies; throws for an invalid JWK. */
export const toPublicKey = (jwk: Es256Jwk): Es256Key => createPublicKey({ key: jwk, format: 'jwk' })

/** Returns the key that signs; throws for a JWK without a private half. */
export const toPrivateKey = (jwk: Es256Jwk): Es256Key => createPrivateKey({ key: jwk, format: 'jwk' })

/**
 * Returns a signed JWT (RFC 7515, compact). It signs synchronously: the thread pool would add two thread switches, which take
 * longer than a signature.
 */
export function signEs256(header: { typ: string; kid: string }, claims: object, key: Es256Key): string {
  const text = `${toPart({ alg: 'ES256', ...header })}.${toPart(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

const toPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
