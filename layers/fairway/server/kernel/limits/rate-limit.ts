import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '../app-context'
import type { Orm } from '../database/client'
import { withValues } from '../database/orm'
import { sha256 } from '../crypto/hash'
import { AppError } from '../http/app-error'
import { createCache } from '../cache'
import type { Limit } from './limits'
import { rateLimits } from './tables'

const keyOf = (limit: Limit, subject: string): string => `${limit.name}:${sha256(subject)}`

/** The state of a window after an attempt: the number of attempts, and when it ends. */
type Counted = z.output<typeof countedSchema>

const countedSchema = z.object({ count: z.number(), endsAt: z.number() })

/** Counts one attempt of a subject; throws `rate-limited` with `Retry-After` beyond the limit. */
export async function rateLimit(app: App, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  const now = app.now().getTime()
  checkCount(
    limit,
    limit.isPerInstance ? countHere(app, limit, subject, now) : await countForAll(app, limit, subject, now),
    now,
  )
}

/** Does the same in a transaction: a rollback also removes the count. */
export async function rateLimitWithin(app: App, on: Pick<Orm, 'all'>, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  const now = app.now().getTime()
  const [counted] = await on.all(withValues(COUNT, countValues(limit, subject, now)))
  checkCount(limit, countedSchema.parse(counted), now)
}

function checkCount(limit: Limit, { count, endsAt }: Counted, now: number): void {
  if (count <= limit.max) return
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
  throw new AppError('rate-limited', {
    detail: `Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
    headers: { 'retry-after': String(seconds) },
  })
}

// Written by hand: the query builder would take as long to build it as the database to run it.
const COUNT = `insert into rate_limits (key, count, ends_at) values (?, 1, ?) on conflict (key) do update set
  count = case when ends_at <= ? then 1 else count + 1 end, ends_at = case when ends_at <= ? then excluded.ends_at else ends_at end
  returning count, ends_at as endsAt`

const countValues = (limit: Limit, subject: string, now: number) => [
  keyOf(limit, subject),
  now + limit.window * 1000,
  now,
  now,
]

/** Counts in one statement that all instances share. */
async function countForAll(app: App, limit: Limit, subject: string, now: number): Promise<Counted> {
  const { rows } = await app.db.client.execute({ sql: COUNT, args: countValues(limit, subject, now) })
  return countedSchema.parse(rows[0])
}

/** Counts only in this process. */
function countHere(app: App, limit: Limit, subject: string, now: number): Counted {
  const windows = app.memo(`local-limit:${limit.name}`, () => createCache<Counted>('local-limits'))
  const known = windows.get(subject)
  if (known && known.endsAt > now) {
    known.count += 1
    return known
  }
  const begun = { count: 1, endsAt: now + limit.window * 1000 }
  windows.set(subject, begun)
  return begun
}

/** Resets the count of a subject, for example after a successful sign-in. */
export async function resetRateLimit(app: App, limit: Limit, subject: string): Promise<void> {
  if (!app.config.rateLimits) return
  await app.db.orm.delete(rateLimits).where(eq(rateLimits.key, keyOf(limit, subject)))
}

/** Subtracts one counted attempt of a subject, for example because the sign-in succeeded. */
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
