import { randomBytes, randomInt, randomUUIDv7 } from 'node:crypto'
import { v7 } from 'uuid'
import { toBase32 } from './base32'

/** A new UUIDv7: ordered by time, so rows keep the order they were made in. */
export const newId = (): string => v7()

/** `bytes` random bytes as base64url text. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** `bytes` random bytes as lower-case hex text. */
export const randomHex = (bytes = 32): string => randomBytes(bytes).toString('hex')

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** `length` random characters of `a-zA-Z0-9`, all equally likely. */
export const randomAlphanumeric = (length: number): string =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('')

/** A new UUIDv7 for one request; unlike `newId` it keeps no order within a millisecond, and costs a sixth. */
export const newRequestId = (): string => randomUUIDv7()

/** A code of 50 random bits that people can read and type, for example `k3xqp-7mbza`. */
export function randomReadableCode(): string {
  const text = toBase32(randomBytes(7)).toLowerCase()
  return `${text.slice(0, 5)}-${text.slice(5, 10)}`
}
