import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemo } from '#fairway/server/kernel/app-context'
import { cacheOf, CACHES, createCache } from '#fairway/server/kernel/cache'
import { openEmptyDatabase } from '../../support/database'

describe('createCache', () => {
  it('keeps a limited number of values and drops the least recently used one first', () => {
    const kept = createCache<number>('prepared-statements')
    const { most } = CACHES['prepared-statements']
    for (let at = 0; at < most; at++) kept.set(String(at), at)
    expect(kept.get('0')).toBe(0)
    kept.set('one more', 1)
    expect([kept.get('0'), kept.get('1')]).toEqual([0, undefined])
  })

  it('creates each value once', () => {
    const kept = createCache<{ at: number }>('cookies')
    const first = kept.getOrSet('a', () => ({ at: 1 }))
    expect(kept.getOrSet('a', () => ({ at: 2 }))).toBe(first)
    kept.delete('a')
    expect(kept.getOrSet('a', () => ({ at: 3 }))).toEqual({ at: 3 })
  })

  it('keeps only values that responses depend on when shortcuts are off', () => {
    for (const [name, { isShortcut }] of Object.entries(CACHES)) {
      const app = { config: { shortcuts: false }, memo: createMemo() }
      const kept = cacheOf<number>(app, name as keyof typeof CACHES)
      kept.set('a', 1)
      expect([name, kept.get('a')]).toEqual([name, isShortcut ? undefined : 1])
      expect(kept.getOrSet('a', () => 2)).toBe(isShortcut ? 2 : 1)
    }
  })
})

describe('db.memory', () => {
  const read = async () => ({ read: true })

  it('keeps no values when shortcuts are off', async () => {
    const db = await openEmptyDatabase({ shortcuts: false })
    onTestFinished(() => db.close())
    const memory = db.memory<object>('sessions')
    const found = await memory.get('a', read)
    expect(memory.peek('a')).toBeUndefined()
    expect(await memory.get('a', read)).not.toBe(found)
  })
})
