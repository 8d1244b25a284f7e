import { describe, expect, it } from 'vitest'
import { contrast } from '#fairway/server/kernel/config/brand'
import { initialsOf } from '#fairway/app/utils/initials'

const names = [
  'Ada',
  'Maria Ortiz',
  'Northwind Traders',
  'Zoë',
  '王',
  'ada@example.test',
  'Björn',
  'محمد',
  'x'.repeat(200),
]
const pair = (value: string) => value.match(/oklch\([^)]+\)/g) ?? []

describe('initialsOf', () => {
  it('returns the same colours for the same name, and different colours for most names', () => {
    expect(initialsOf('Ada')).toEqual(initialsOf('Ada'))
    expect(new Set(names.map(name => initialsOf(name).style.color)).size).toBeGreaterThan(6)
  })

  it.each(names)('returns readable colours in both themes for %s', name => {
    const { backgroundColor, color } = initialsOf(name).style
    const texts = pair(color)
    expect(texts).toHaveLength(2)
    pair(backgroundColor).forEach((back, index) => expect(contrast(back, texts[index]!)).toBeGreaterThanOrEqual(4.5))
  })
})
