import { LRUCache } from 'lru-cache'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Limit } from './limits'

interface Window {
  count: number
  endsAt: number
}

/** Of more subjects than this at once the least recently seen one begins anew. */
const MOST_SUBJECTS = 10_000

/**
 * Counts one attempt of a subject in this process; throws `rate-limited` with `Retry-After` beyond the limit.
 * For what is asked so often that a write for each attempt would cost more than the attempt: every instance counts by itself.
 */
export function rateLimitLocally(app: App, limit: Limit, subject: string): void {
  if (!app.config.rateLimits) return
  const windows = app.memo(`local-limit:${limit.name}`, () => new LRUCache<string, Window>({ max: MOST_SUBJECTS }))
  const now = app.now().getTime()
  const known = windows.get(subject)
  if (known && known.endsAt > now) {
    known.count += 1
    if (known.count > limit.most) throw tooMany(Math.max(1, Math.ceil((known.endsAt - now) / 1000)))
    return
  }
  windows.set(subject, { count: 1, endsAt: now + limit.windowInSeconds * 1000 })
}

const tooMany = (seconds: number): AppError =>
  new AppError('rate-limited', {
    detail: `Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  })
