import { describe, expect, it } from 'vitest'
import type { App } from '#fairway/server/kernel/app-context'
import { rateLimit, resetRateLimit, refundRateLimit } from '../../../../layers/fairway/server/kernel/limits/rate-limit'
import { type Limit, limits } from '../../../../layers/fairway/server/kernel/limits/limits'
import { useTestApp } from '../../../support/use-app'
import { query } from '../../../support/query'

const test = useTestApp({ FW_RATE_LIMITS: 'on' })

const limit: Limit = { name: 'test', per: 'person', max: 3, window: 60 }
const later = (app: App, seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })

/** The number of allowed attempts among these concurrent ones. */
async function allowed(app: App, attempts: number, subject = 'ada'): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: attempts }, () => rateLimit(app, limit, subject)))
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

describe('rateLimit', () => {
  it('allows the maximum under concurrent attempts and returns Retry-After', async () => {
    expect(await allowed(test.app, 50)).toBe(3)
    const refused = await rateLimit(test.app, limit, 'ada').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'rate-limited', headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
    expect(await allowed(test.app, 50, 'grace')).toBe(3)
  })

  it('resets after its window, which refused attempts do not extend', async () => {
    await allowed(test.app, 3)
    await allowed(later(test.app, 59), 20)
    expect(await allowed(later(test.app, 61), 20)).toBe(3)
  })

  it('allows refunded attempts again, up to the maximum', async () => {
    await allowed(test.app, 3)
    await refundRateLimit(test.app, limit, 'ada')
    expect(await allowed(test.app, 5)).toBe(1)
    await resetRateLimit(test.app, limit, 'ada')
    for (let index = 0; index < 9; index++) await refundRateLimit(test.app, limit, 'ada')
    expect(await allowed(test.app, 5)).toBe(3)
  })

  it('uses a unique name for each limit', () => {
    const names = Object.values(limits).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('stores no email addresses in the table', async () => {
    await rateLimit(test.app, limits.signInPerAccount, 'ada@example.test')
    const rows = await query(test.app, 'select key from rate_limits')
    expect(JSON.stringify(rows)).not.toContain('ada@')
  })
})
