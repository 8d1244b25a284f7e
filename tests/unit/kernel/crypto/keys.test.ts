import { describe, expect, it } from 'vitest'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'

describe('createKeyRing', () => {
  it('derives a different, stable key for each purpose and each secret', () => {
    const ring = createKeyRing(['a'.repeat(32), 'b'.repeat(32)])
    const keys = [...ring.all('one'), ...ring.all('two')].map(key => key.secret)
    expect(new Set(keys).size).toBe(4)
    expect(createKeyRing(['a'.repeat(32)]).current('one')).toEqual(ring.current('one'))
  })

  it('identifies keys by their root secret without revealing it', () => {
    const ring = createKeyRing(['a'.repeat(32), 'b'.repeat(32)])
    expect(ring.current('one').id).toBe(ring.current('two').id)
    expect(ring.all('one')[1]?.id).not.toBe(ring.current('one').id)
    expect(ring.current('one').id).toMatch(/^[0-9a-f]{8}$/)
  })
})
