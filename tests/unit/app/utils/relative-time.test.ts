import { describe, expect, it } from 'vitest'
import { relativeTime } from '#fairway/app/utils/words'

const now = new Date('2026-06-15T12:00:00.000Z')

describe('relativeTime', () => {
  it.each([
    ['2026-06-15T11:59:40.000Z', 'now'],
    ['2026-06-15T11:58:00.000Z', '2 minutes ago'],
    ['2026-06-15T09:10:00.000Z', '2 hours ago'],
    ['2026-06-14T09:00:00.000Z', 'yesterday'],
    ['2026-06-05T12:00:00.000Z', 'last week'],
    ['2026-03-01T12:00:00.000Z', '3 months ago'],
    ['2024-03-01T12:00:00.000Z', '2 years ago'],
    ['2026-06-18T13:00:00.000Z', 'in 3 days'],
    // A 90-day token must never read “in 2 months”.
    ['2026-09-13T12:00:00.000Z', 'in 90 days'],
    ['2026-09-13T11:59:00.000Z', 'in 90 days'],
    ['2026-07-15T11:59:00.000Z', 'in 30 days'],
    ['2026-06-16T11:59:00.000Z', 'in 24 hours'],
    ['2026-06-15T12:29:40.000Z', 'in 30 minutes'],
    ['2027-06-15T12:00:00.000Z', 'in 12 months'],
  ])('returns for %s the text “%s”', (time, words) => {
    expect(relativeTime(new Date(time), now, 'en')).toBe(words)
  })

  it('returns German text for the German locale', () => {
    expect(relativeTime(new Date('2026-06-15T09:10:00.000Z'), now, 'de')).toBe('vor 2 Stunden')
  })
})
