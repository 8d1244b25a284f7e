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

describe('the keys of a shortcut', () => {
  it('are one, or two of which the first is g', () => {
    expect(typed(key('/'), key('?'), key('g'), key('n'), key('n'))).toEqual(['/', '?', undefined, 'g n', 'n'])
  })

  it('belong together for a moment only', () => {
    expect(typed(key('g'), 1500, key('n'))).toEqual([undefined, 'n'])
  })

  it.each([
    ['with Ctrl', { ctrlKey: true }],
    ['with ⌘', { metaKey: true }],
    ['with Alt', { altKey: true }],
    ['of a composition', { isComposing: true }],
    ['held down', { repeat: true }],
  ])('are none %s', (_name, more) => {
    expect(typed(key('n', more), key('g'), key('n', more), key('n'))).toEqual([undefined, undefined, undefined, 'n'])
  })

  it('are none of those that have a name', () => {
    expect(typed(key('Enter'), key('Shift'), key('ArrowDown'))).toEqual([undefined, undefined, undefined])
  })
})
