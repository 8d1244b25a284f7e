import { createHmac, randomBytes } from 'node:crypto'
import { fromBase32, toBase32 } from './random'
import { constantTimeEqual } from './hash'

export const TOTP_STEP_IN_SECONDS = 30
export const TOTP_DIGITS = 6
const SECRET_BYTES = 20

/** A new secret of 160 bits as base32 (RFC 4226 §4). */
export const newTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES))

/** The code of one time step (RFC 6238 over HMAC-SHA-1, RFC 4226 §5.3). */
export function totpCode(secret: string, step: number, digits = TOTP_DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Returns the time step of a moment. */
export const totpStep = (now: Date): number => Math.floor(now.getTime() / 1000 / TOTP_STEP_IN_SECONDS)

/**
 * Returns the step of a code: the current one, or one of its two neighbours for clocks that differ; undefined for a wrong code.
 */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  const current = totpStep(now)
  return [current, current - 1, current + 1].find(step => constantTimeEqual(totpCode(secret, step), code))
}
