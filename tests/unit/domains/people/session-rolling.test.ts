import { describe, expect, it } from 'vitest'
import { newExpiry } from '#fairway/server/domains/people/session-rows'

const DAY = 24 * 60 * 60 * 1000
const now = 1_800_000_000_000

describe('newExpiry', () => {
  it('returns undefined within a day of the last renewal', () => {
    expect(newExpiry({ createdAt: now, updatedAt: now - DAY + 1, expiresAt: now + DAY }, now)).toBeUndefined()
  })

  it('returns 30 days from now when a day has passed', () => {
    expect(newExpiry({ createdAt: now - DAY, updatedAt: now - DAY, expiresAt: now + DAY }, now)).toBe(now + 30 * DAY)
  })

  it('never exceeds 180 days after the sign-in', () => {
    const createdAt = now - 175 * DAY
    expect(newExpiry({ createdAt, updatedAt: now - 2 * DAY, expiresAt: now + DAY }, now)).toBe(now + 5 * DAY)
    expect(newExpiry({ createdAt, updatedAt: now - 2 * DAY, expiresAt: now + 5 * DAY }, now)).toBeUndefined()
  })
})
