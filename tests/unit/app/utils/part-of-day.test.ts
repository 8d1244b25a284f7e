import { describe, expect, it } from 'vitest'
import { partOfDay } from '#fairway/app/utils/words'

describe('partOfDay', () => {
  it.each([
    [4, 'evening'],
    [5, 'morning'],
    [11, 'morning'],
    [12, 'afternoon'],
    [17, 'afternoon'],
    [18, 'evening'],
    [23, 'evening'],
  ])('calls %i o’clock %s', (hour, part) => {
    expect(partOfDay(new Date(2026, 0, 1, hour))).toBe(part)
  })
})
