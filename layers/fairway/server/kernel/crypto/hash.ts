import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a text as base64url. */
export const sha256 = (text: string | Uint8Array): string => hash('sha256', text, 'base64url')

/** SHA-256 of a text as hexadecimal digits, the form of drizzle's journal. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** Computes SHA-256 of bytes that arrive in pieces, as base64url. */
export function createDigest(): { update(bytes: Uint8Array): void; value(): string } {
  const digest = createHash('sha256')
  return { update: bytes => void digest.update(bytes), value: () => digest.digest('base64url') }
}

/** Returns SHA-1 of a text as upper-case hex, the form of lists of breached passwords; it protects no secret here. */
export const sha1Hex = (text: string): string => hash('sha1', text, 'hex').toUpperCase()

/** Returns SHA-256 of a text as standard base64, the form that Content-Security-Policy requires. */
export const sha256Base64 = (text: string): string => hash('sha256', text, 'base64')

/** HMAC-SHA-256 as standard base64. */
export const hmacBase64 = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64')

/** HMAC-SHA-256 as base64url. */
export const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')

/** Compares two texts in a time that depends only on their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
