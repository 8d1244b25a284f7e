import { describe, expect, it } from 'vitest'
import { createKeySequence, type PressedKey } from '#fairway/app/shortcuts/page-keys'

const key = (name: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  repeat: false,
  target: null,
  ...more,
})

function typed(...keys: (PressedKey | number)[]): (string | undefined)[] {
  let now = 0
  const { press } = createKeySequence(() => now)
  return keys.flatMap(each => {
    if (typeof each !== 'number') return [press(each)]
    now += each
    return []
  })
}

describe('createKeySequence', () => {
  it('accepts single keys and pairs that start with g', () => {
    expect(typed(key('/'), key('?'), key('g'), key('n'), key('n'))).toEqual(['/', '?', undefined, 'g n', 'n'])
  })

  it('forgets the first key of a pair after 1.5 seconds', () => {
    expect(typed(key('g'), 1500, key('n'))).toEqual([undefined, 'n'])
  })

  it.each([
    ['with Ctrl', { ctrlKey: true }],
    ['with ⌘', { metaKey: true }],
    ['with Alt', { altKey: true }],
    ['of a composition', { isComposing: true }],
    ['held down', { repeat: true }],
  ])('ignores keys %s', (_name, more) => {
    expect(typed(key('n', more), key('g'), key('n', more), key('n'))).toEqual([undefined, undefined, undefined, 'n'])
  })

  it('ignores named keys such as Enter and Shift', () => {
    expect(typed(key('Enter'), key('Shift'), key('ArrowDown'))).toEqual([undefined, undefined, undefined])
  })
})
