import crypto, { randomBytes, randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { constantTimeEqual, sha256 } from './hash'

/** Returns a new UUIDv7: ordered by time, so rows keep the order of their creation. */
export const newId = (): string => v7()

/** `bytes` random bytes as base64url text. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** `bytes` random bytes as base64 text with padding. */
export const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64')

/** `bytes` random bytes as lower-case hex text. */
export const randomHex = (bytes = 32): string => randomBytes(bytes).toString('hex')

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** `length` random characters of `a-zA-Z0-9`, all equally likely. */
export const randomAlphanumeric = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('')

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A number in base 62, as in the checksum of a token: digits, upper case, lower case. */
export function toBase62(number: number): string {
  const digit = BASE62.charAt(number % BASE62.length)
  const rest = Math.floor(number / BASE62.length)
  return rest === 0 ? digit : toBase62(rest) + digit
}

/**
 * Returns a new UUIDv7 for one request. Unlike `newId` it keeps no order within a millisecond, and costs a sixth. Node.js before
 * 24.16 has no such function.
 */
export const newRequestId: () => string = crypto.randomUUIDv7 ?? v7

/** A code of 50 random bits that people can read and type, for example `k3xqp-7mbza`. */
export function randomReadableCode(): string {
  const text = toBase32(randomBytes(7)).toLowerCase()
  return `${text.slice(0, 5)}-${text.slice(5, 10)}`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A code of `length` random digits, for example `042917`. */
export const randomDigits = (length: number): string => Array.from({ length }, () => String(randomInt(10))).join('')

const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ'

/** A code of `length` random letters without vowels, so that it spells no word (RFC 8628 §6.1), for example `WDJBMJHT`. */
export const randomConsonants = (length: number): string =>
  Array.from({ length }, () => CONSONANTS[randomInt(CONSONANTS.length)]).join('')

/** Encodes bytes as base32 without padding (RFC 4648 §6), the form of secrets for authenticator apps. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** Returns the bytes of a base32 text without padding; throws for other characters. */
export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map(sign => {
    const value = ALPHABET.indexOf(sign)
    if (value < 0) throw new Error('this is not base32')
    return value.toString(2).padStart(5, '0')
  })
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], byte => Number.parseInt(byte, 2))
}

const VERIFIER_LENGTH = 64

/** The format of a code verifier (RFC 7636 §4.1). */
export const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
/** The format of a code challenge by `S256`: a SHA-256 value as base64url (RFC 7636 §4.2). */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A new code verifier (RFC 7636 §4.1): 64 random letters and digits. */
export const createCodeVerifier = (): string => randomAlphanumeric(VERIFIER_LENGTH)

/** The code challenge of a verifier by `S256`, the only method we use. */
export const toCodeChallenge = (verifier: string): string => sha256(verifier)

/** Returns whether a code challenge was made from this verifier (RFC 7636 §4.6), in constant time. */
export const matchesChallenge = (codeChallenge: string, verifier: string): boolean =>
  constantTimeEqual(codeChallenge, toCodeChallenge(verifier))
