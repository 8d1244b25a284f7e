import { expect, it } from 'vitest'
import { pauseBeforeRetry } from '#fairway/shared/collections/iterate-collection'

const now = Date.parse('2026-01-01T00:00:00Z')
const busy = (retryAfter?: string, status = 429) =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

it('pauseBeforeRetry returns the seconds in Retry-After', () => {
  expect(pauseBeforeRetry(busy('7'), 1, now)).toBe(7000)
  expect(pauseBeforeRetry(busy('7', 503), 1, now)).toBe(7000)
})

it('pauseBeforeRetry returns the time until the date in Retry-After', () => {
  expect(pauseBeforeRetry(busy('Thu, 01 Jan 2026 00:00:05 GMT'), 1, now)).toBe(5000)
  expect(pauseBeforeRetry(busy('Wed, 31 Dec 2025 00:00:00 GMT'), 1, now)).toBe(0)
})

it('pauseBeforeRetry doubles its own pause without a readable Retry-After', () => {
  expect([1, 2, 3].map(tries => pauseBeforeRetry(busy(), tries, now))).toEqual([500, 1000, 2000])
  expect(pauseBeforeRetry(busy('soon'), 1, now)).toBe(500)
})

it('pauseBeforeRetry does not retry other statuses', () => {
  expect(pauseBeforeRetry(busy('1', 400), 1, now)).toBeUndefined()
  expect(pauseBeforeRetry(busy('1', 500), 1, now)).toBeUndefined()
})
