import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '../app-context'
import { sha256 } from '../crypto/hash'
import { AppError } from '../http/app-error'
import { createRemembered } from '../remember'
import type { Limit } from './limits'
import { rateLimits } from './tables'

const keyOf = (limit: Limit, subject: string): string => `${limit.name}:${sha256(subject)}`

/** Counts one attempt of a subject in one statement, shared by all instances; throws `rate-limited` with `Retry-After` beyond the limit. */
export async function rateLimit(app: App, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  const now = app.now().getTime()
  const { rows } = await app.db.client.execute({
    sql: COUNT,
    args: [keyOf(limit, subject), now + limit.windowInSeconds * 1000, now, now],
  })
  const row = countedSchema.parse(rows[0])
  if (row.count <= limit.most) return
  const seconds = Math.max(1, Math.ceil((row.endsAt - now) / 1000))
  throw new AppError('rate-limited', {
    detail: `Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
    headers: { 'retry-after': String(seconds) },
  })
}

// By hand: the query builder would take as long to write it as the database to run it.
const COUNT = `insert into rate_limits (key, count, ends_at) values (?, 1, ?) on conflict (key) do update set
  count = case when ends_at <= ? then 1 else count + 1 end, ends_at = case when ends_at <= ? then excluded.ends_at else ends_at end
  returning count, ends_at as endsAt`

const countedSchema = z.object({ count: z.number(), endsAt: z.number() })

/** Forgets what was counted for a subject, for example after a sign-in that succeeded. */
export async function resetRateLimit(app: App, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  await app.db.orm.delete(rateLimits).where(eq(rateLimits.key, keyOf(limit, subject)))
}

/** Takes one counted attempt of a subject back, for example because it was a sign-in that succeeded. */
export async function refundRateLimit(app: App, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  await app.db.orm
    .update(rateLimits)
    .set({ count: sql`${rateLimits.count} - 1` })
    .where(and(eq(rateLimits.key, keyOf(limit, subject)), gt(rateLimits.count, 0)))
}

/** Deletes counters whose window has ended. */
export async function purgeRateLimits(app: App): Promise<void> {
  await app.db.orm.delete(rateLimits).where(lte(rateLimits.endsAt, app.now().getTime()))
}

interface Window {
  count: number
  endsAt: number
}

/**
 * Counts one attempt of a subject in this process; throws `rate-limited` with `Retry-After` beyond the limit.
 * For what is asked so often that a write for each attempt would cost more than the attempt: every instance counts by itself.
 */
export function rateLimitLocally(app: App, limit: Limit, subject: string): void {
  if (!app.config.rateLimits) return
  const windows = app.memo(`local-limit:${limit.name}`, () => createRemembered<Window>('local-limits'))
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
