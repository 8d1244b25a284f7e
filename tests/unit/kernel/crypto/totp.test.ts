import { describe, expect, it } from 'vitest'
import { fromBase32, toBase32 } from '#fairway/server/kernel/crypto/random'
import { findTotpStep, newTotpSecret, totpCode, totpStep } from '#fairway/server/kernel/crypto/totp'

// RFC 6238, Appendix B, the SHA-1 rows.
const secret = toBase32(Buffer.from('12345678901234567890'))
const vectors: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

describe('TOTP codes', () => {
  it.each(vectors)('match RFC 6238 at second %i', (seconds, code) => {
    const now = new Date(seconds * 1000)
    expect(totpCode(secret, totpStep(now), 8)).toBe(code)
    expect(totpCode(secret, totpStep(now))).toBe(code.slice(-6))
  })

  it('are accepted at most one step early or late', () => {
    const now = new Date(1_234_567_890_000)
    const current = totpStep(now)
    const steps = [-2, -1, 0, 1, 2].map(offset => findTotpStep(secret, totpCode(secret, current + offset), now))
    expect(steps).toEqual([undefined, current - 1, current, current + 1, undefined])
  })

  it('are refused when they are too short, too long, empty or not numeric', () => {
    const now = new Date(59_000)
    for (const code of ['', '28708', '4287082', '0287082', 'abcdef'])
      expect(findTotpStep(secret, code, now)).toBeUndefined()
  })

  it('use distinct secrets of 160 bits', () => {
    const made = Array.from({ length: 20 }, () => newTotpSecret())
    expect(new Set(made).size).toBe(20)
    expect(made.every(text => /^[A-Z2-7]{32}$/.test(text))).toBe(true)
  })
})

describe('base32', () => {
  // RFC 4648 §10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('encodes %j as %j and decodes it', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded)
    expect(Buffer.from(fromBase32(encoded)).toString()).toBe(text)
  })

  it('refuses invalid characters', () => {
    expect(() => fromBase32('MZ1!')).toThrow()
  })
})
