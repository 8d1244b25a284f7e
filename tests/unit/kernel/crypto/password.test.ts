import { describe, expect, it } from 'vitest'
import { markImported } from '#fairway/server/kernel/crypto/foreign-hash'
import {
  createLimiter,
  createPasswordHasher,
  hashesAtOnce,
  IMPORTED_WAITING,
  WAITING_FOR_EACH,
} from '#fairway/server/kernel/crypto/password'
import { foreignHashes, PASSWORD } from '../../../support/foreign-hashes'

describe('createPasswordHasher', () => {
  const hasher = createPasswordHasher()

  it('verifies only the right password and uses a new salt for each hash', async () => {
    const [first, second] = await Promise.all([hasher.hash('zebra quilt'), hasher.hash('zebra quilt')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(first).not.toBe(second)
    expect(await hasher.verify(first, 'zebra quilt')).toBe(true)
    expect(await hasher.verify(first, 'zebra quilt ')).toBe(false)
  })

  it('hashes quickly on request and verifies both kinds of hashes', async () => {
    const quick = createPasswordHasher('quick')
    const hash = await quick.hash('zebra quilt')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(await hasher.verify(hash, 'zebra quilt')).toBe(true)
    expect(await quick.verify(await hasher.hash('zebra quilt'), 'zebra quilt ')).toBe(false)
  })

  it('accepts two Unicode spellings of a text as the same password', async () => {
    expect(await hasher.verify(await hasher.hash('caf\u00e9'), 'cafe\u0301')).toBe(true)
  })

  it('rejects any password for an unreadable hash', async () => {
    expect(await hasher.verify('', 'x')).toBe(false)
    expect(await hasher.verify('$argon2id$v=19$m=1,t=1,p=9$AA$AA', 'x')).toBe(false)
  })

  it('does not block the event loop', async () => {
    const started = performance.now()
    const all = Promise.all(Array.from({ length: 4 }, () => hasher.hash('zebra quilt')))
    await new Promise(resolve => setImmediate(resolve))
    const turn = performance.now() - started
    await all
    expect(turn).toBeLessThan((performance.now() - started) / 2)
  })
})

describe('concurrent password hashing', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [64, 3],
  ])('on %i cores runs %i hashes at a time', (cores, atOnce) => expect(hashesAtOnce(cores)).toBe(atOnce))

  it('returns 429 with Retry-After when the queue is full', async () => {
    const hasher = createPasswordHasher('quick', 1)
    const places = 1 + WAITING_FOR_EACH
    const all = await Promise.allSettled(Array.from({ length: places + 1 }, () => hasher.hash('zebra quilt')))
    expect(all.slice(0, places).every(({ status }) => status === 'fulfilled')).toBe(true)
    expect(all[places]).toMatchObject({
      status: 'rejected',
      reason: { code: 'sign-in-busy', status: 429, headers: { 'retry-after': '5' } },
    })
    expect(() => hasher.checkRoom()).not.toThrow()
    expect(await hasher.hash('zebra quilt')).toMatch(/^\$argon2id/)
  })
})

describe('verification of imported hashes', () => {
  const imported = markImported(foreignHashes['bcrypt $2b$'] ?? '')

  it('runs two at a time and returns 429 when its queue is full, while other hashes have room', async () => {
    const hasher = createPasswordHasher('quick', 3)
    const places = 2 + IMPORTED_WAITING
    const all = Promise.allSettled(Array.from({ length: places + 1 }, () => hasher.verify(imported, PASSWORD)))
    expect(() => hasher.checkRoom()).not.toThrow()
    expect(await hasher.hash(PASSWORD)).toMatch(/^\$argon2id/)
    const results = await all
    expect(results.slice(0, places)).toEqual(results.slice(0, places).map(() => ({ status: 'fulfilled', value: true })))
    expect(results[places]).toMatchObject({ status: 'rejected', reason: { code: 'sign-in-busy', status: 429 } })
    expect(await hasher.verify(imported, PASSWORD)).toBe(true)
  })
})

describe('createLimiter', () => {
  it('runs at most the given number of tasks at once and finishes all, even after failures', async () => {
    const { run: limit, waiting } = createLimiter(3)
    let running = 0
    let most = 0
    const task = async (index: number) => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 2))
      running--
      if (index % 5 === 0) throw new Error('no')
      return index
    }
    const results = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => limit(() => task(index))))
    expect(most).toBe(3)
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(24)
    expect(await limit(() => task(1))).toBe(1)
    expect(waiting()).toBe(0)
  })
})
