import { expect, it } from 'vitest'
import { suggestion } from '#fairway/shared/nearest-name'

const words = ['backup', 'builder', 'doctor', 'help', '--at', 'mcp']

it.each([
  ['bakup', 'backup'],
  ['builderr', 'builder'],
  ['dokter', 'doctor'],
  ['hlep', 'help'],
  ['--att', '--at'],
])('suggests the nearest name of %s', (typed, meant) => {
  expect(suggestion(typed, words)).toBe(` Did you mean ${meant}?`)
})

it.each(['serve', 'x', '', '--to', 'new'])('suggests nothing for %s', typed => {
  expect(suggestion(typed, words)).toBe('')
  expect(suggestion(typed, [])).toBe('')
})
