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
  const colourOf = (person: Parameters<typeof initialsOf>[0]) => initialsOf(person).style.color

  it('returns the same colours for the same person, and different colours for most people', () => {
    expect(new Set(names.map(name => colourOf({ name }))).size).toBeGreaterThan(6)
    expect(new Set(names.map(id => colourOf({ id, name: 'Ada' }))).size).toBeGreaterThan(6)
  })

  it('keeps the colour of a person after a new name or address, wherever the id is', () => {
    const before = colourOf({ id: '019f4f7e', name: 'Ada', email: 'ada@example.test' })
    expect(colourOf({ id: '019f4f7e', name: 'Ada Lovelace', email: 'ada@newer.test' })).toBe(before)
    expect(colourOf({ userId: '019f4f7e', name: 'Ada' })).toBe(before)
  })

  it('takes the colour of somebody without an account from the address', () => {
    const invited = { id: null, name: 'cy@example.test', email: 'cy@example.test' }
    expect(colourOf({ ...invited, name: 'Cy' })).toBe(colourOf(invited))
  })

  it.each(names)('returns readable colours in both themes for %s', name => {
    const { backgroundColor, color } = initialsOf({ name }).style
    const texts = pair(color)
    expect(texts).toHaveLength(2)
    pair(backgroundColor).forEach((back, index) => expect(contrast(back, texts[index]!)).toBeGreaterThanOrEqual(4.5))
  })
})
