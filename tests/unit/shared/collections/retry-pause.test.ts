import { expect, it } from 'vitest'
import { pauseBeforeRetry } from '#fairway/shared/collections/iterate-collection'

const now = Date.parse('2026-01-01T00:00:00Z')
const busy = (retryAfter?: string, status = 429) =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

it('waits as many seconds as the server says', () => {
  expect(pauseBeforeRetry(busy('7'), 1, now)).toBe(7000)
  expect(pauseBeforeRetry(busy('7', 503), 1, now)).toBe(7000)
})

it('waits until the time that the server says', () => {
  expect(pauseBeforeRetry(busy('Thu, 01 Jan 2026 00:00:05 GMT'), 1, now)).toBe(5000)
  expect(pauseBeforeRetry(busy('Wed, 31 Dec 2025 00:00:00 GMT'), 1, now)).toBe(0)
})

it('doubles its own pause where the server says nothing that can be read', () => {
  expect([1, 2, 3].map(tries => pauseBeforeRetry(busy(), tries, now))).toEqual([500, 1000, 2000])
  expect(pauseBeforeRetry(busy('soon'), 1, now)).toBe(500)
})

it('does not try again after other answers', () => {
  expect(pauseBeforeRetry(busy('1', 400), 1, now)).toBeUndefined()
  expect(pauseBeforeRetry(busy('1', 500), 1, now)).toBeUndefined()
})
