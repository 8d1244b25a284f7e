import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../../../layers/fairway/server/kernel/limits/rate-limit'
import type { Limit } from '../../../../layers/fairway/server/kernel/limits/limits'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'

const limit: Limit = { name: 'test-local', per: 'person', max: 3, window: 60, isPerInstance: true }
const test = useTestApp({ FW_RATE_LIMITS: 'on' })

const count = (subject: string, seconds = 0) =>
  rateLimit({ ...test.app, now: () => new Date(Date.now() + seconds * 1000) }, limit, subject)

describe('rateLimit counted by each instance', () => {
  it('allows the maximum for each subject and returns Retry-After', async () => {
    for (let index = 0; index < 3; index++) await count('ada')
    await expect(count('ada')).rejects.toThrow(
      expect.objectContaining({ code: 'rate-limited', headers: { 'retry-after': '60' } }),
    )
    await expect(count('grace')).resolves.toBeUndefined()
  })

  it('resets after its window, which refused attempts do not extend', async () => {
    for (let index = 0; index < 3; index++) await count('ada')
    await expect(count('ada', 59)).rejects.toThrow()
    await expect(count('ada', 61)).resolves.toBeUndefined()
  })

  it('is disabled with FW_RATE_LIMITS=off', async () => {
    const off = await createTestApp({ FW_RATE_LIMITS: 'off' })
    const counting = { ...off.app, config: { ...off.app.config, rateLimits: true } }
    try {
      for (let index = 0; index < 10; index++) await rateLimit(off.app, limit, 'ada')
      // Attempts were not counted: with limits on, the same subject still has all of them.
      for (let index = 0; index < limit.max; index++) await rateLimit(counting, limit, 'ada')
      await expect(rateLimit(counting, limit, 'ada')).rejects.toThrow(expect.objectContaining({ code: 'rate-limited' }))
    } finally {
      await off.close()
    }
  })
})
