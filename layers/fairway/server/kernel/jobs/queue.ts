// The queue is one table, and each change of a row is one statement.
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '../app-context'
import type { Orm } from '../database/client'
import type { Runs } from '../owned-rows'
import { recordSecurityEvent } from '../security-events/record-security-event'
import { type JobEntry, PLATFORM_JOB } from './job'

/** How long a process may be silent before another one takes its jobs. */
export const LEASE_IN_MS = 30_000

export interface QueuedJob {
  id: string
  /** The earliest time to run; at once when not given. */
  at?: Date
  key?: string
  tick?: Date
  priority?: number
  orgId?: string | null
  userId?: string | null
}

/** Returns the SQL that queues a job, unless one with its key or for its due time exists. */
export function insertJob(app: App, entry: JobEntry, input: object, queued: QueuedJob) {
  const { id, at = app.now(), key = null, tick = null, priority = 0, orgId = null, userId = null } = queued
  const now = app.now().getTime()
  const state = at.getTime() > now ? 'scheduled' : 'ready'
  const limit = limitOf(entry, input)
  return sql`insert into fw_jobs (id, name, input, state, priority, run_at, key, tick, limit_key, limit_most, most_attempts, org_id, user_id, created_at)
    values (${id}, ${entry.name}, ${JSON.stringify(input)}, ${state}, ${priority}, ${at.getTime()}, ${key}, ${tick?.getTime() ?? null},
      ${limit.key}, ${limit.most}, ${entry.job.retries + 1}, ${orgId}, ${userId}, ${now})
    on conflict do nothing`
}

/** Returns the limit that a job with this input counts towards; nulls without one. */
export function limitOf({ name, job: { concurrency } }: JobEntry, input: object) {
  if (!concurrency) return { key: null, most: null }
  const per = concurrency.per?.(input as never)
  return { key: per === undefined ? name : `${name}:${per}`, most: concurrency.most }
}

/** Finds the job of this name and key that waits or runs. */
export async function findByKey(db: Pick<Orm, 'all'>, name: string, key: string): Promise<string | undefined> {
  const [queued] = await db.all<{ id: string }>(
    sql`select id from fw_jobs where name = ${name} and key = ${key} and state in ('scheduled', 'ready', 'blocked', 'running')`,
  )
  return queued?.id
}

const takenSchema = z.object({
  id: z.string(),
  name: z.string(),
  input: z.string(),
  attempts: z.number(),
  most_attempts: z.number(),
  limit_key: z.string().nullable(),
  org_id: z.string().nullable(),
  user_id: z.string().nullable(),
  is_cancelling: z.number(),
  state: z.string(),
})

/** A job that this process has taken. */
export interface TakenJob {
  id: string
  token: string
  name: string
  input: unknown
  attempt: number
  isLast: boolean
  limitKey: string | null
  orgId: string | null
  userId: string | null
  isCancelled: boolean
}

/** Returns whether jobs can be taken or woken; idle processes call it, so it uses only indexes. */
export async function isAnythingDue(app: App): Promise<{ isReady: boolean; isWaking: boolean }> {
  const now = app.now().getTime()
  const [rows] = await app.db.readRows([{ sql: DUE, args: [now, now] }])
  const [isReady, isWaking] = rows?.[0] ?? []
  return { isReady: isReady === 1, isWaking: isWaking === 1 }
}

const DUE = `select exists (select 1 from fw_jobs where state = 'ready'),
  exists (select 1 from fw_jobs where state = 'scheduled' and run_at <= ?)
    or exists (select 1 from fw_jobs where state = 'running' and lease_until < ?)`

/** Makes due jobs ready. With `takesOver`, also takes the jobs of processes that have not renewed their lease for a while. */
export async function wakeJobs(app: App, { takesOver }: { takesOver: boolean }): Promise<void> {
  const now = app.now().getTime()
  const due = { sql: `update fw_jobs set state = 'ready' where state = 'scheduled' and run_at <= ?`, args: [now] }
  const left = takesOver ? [{ sql: TAKE_OVER, args: [now, now] }] : []
  const [, ended] = await app.db.client.batch([due, ...left, FREE_ALL], 'write')
  for (const { id, job, state } of takesOver ? (ended?.rows ?? []) : [])
    if (state === 'failed') await tellOfFailure(app, { job: String(job), id: String(id) }, PROCESS_GONE)
}

const PROCESS_GONE = 'The process that ran it is gone.'

/** Reports a failed job in the log and as an alert, because a person has to look at it. */
export async function tellOfFailure(app: App, about: { job: string; id: string }, error: unknown): Promise<void> {
  app.log.error('a job has failed', { ...about, error })
  await recordSecurityEvent(app, { kind: 'job-failed', subject: about.job, reason: `the job ${about.id}` })
}

const TAKE_OVER = `update fw_jobs set lease_token = null, lease_until = null, error = '${PROCESS_GONE}',
    state = case when is_cancelling then 'cancelled' when attempts >= most_attempts then 'failed' else 'ready' end,
    finished_at = case when is_cancelling or attempts >= most_attempts then ? end
  where state = 'running' and lease_until < ? returning id, name as job, state`

/** Blocked jobs whose limit has room, even if the job that should have released them did not. */
const FREE_ALL = `update fw_jobs set state = 'ready' where state = 'blocked' and id in (
  select b.id from (select id, limit_key, limit_most, row_number() over (partition by limit_key order by priority, id) as place
    from fw_jobs where state = 'blocked') b
  where b.place + (select count(*) from fw_jobs r where r.state = 'running' and r.limit_key = b.limit_key) <= b.limit_most)`

const TAKE = `with picked as (
    select id, limit_key, limit_most, row_number() over (partition by limit_key order by priority, id) as place
    from (select id, limit_key, limit_most, priority from fw_jobs where state = 'ready'
      and name in (select value from json_each(?)) order by priority, id limit ?))
  update fw_jobs set
    state = case when p.fits then 'running' else 'blocked' end,
    attempts = attempts + p.fits,
    lease_until = case when p.fits then ? end, lease_token = case when p.fits then ? end, started_at = case when p.fits then ? end
  from (select id, limit_key is null or place + (
      select count(*) from fw_jobs r where r.state = 'running' and r.limit_key = picked.limit_key) <= limit_most as fits from picked) p
  where fw_jobs.id = p.id
  returning fw_jobs.id, name, input, attempts, most_attempts, fw_jobs.limit_key, org_id, user_id, is_cancelling, state`

/**
 * Takes up to `most` jobs, the most urgent first, in one statement: two processes never take the same job. `token` is new for
 * each take. A job without room in its limit is blocked instead, so `looked` may exceed the number of taken jobs.
 */
export async function takeJobs(
  app: App,
  { names, most, token }: { names: readonly string[]; most: number; token: string },
): Promise<{ taken: TakenJob[]; looked: number }> {
  const now = app.now().getTime()
  const args = [JSON.stringify(names), most, now + LEASE_IN_MS, token, now]
  const { rows } = await app.db.client.execute({ sql: TAKE, args })
  const jobs = rows.map(row => takenSchema.parse(row))
  return {
    taken: jobs.filter(({ state }) => state === 'running').map(row => toTaken(row, token)),
    looked: jobs.length,
  }
}

const toTaken = (row: z.output<typeof takenSchema>, token: string): TakenJob => ({
  id: row.id,
  token,
  name: row.name,
  input: JSON.parse(row.input),
  attempt: row.attempts,
  isLast: row.attempts >= row.most_attempts,
  limitKey: row.limit_key,
  orgId: row.org_id,
  userId: row.user_id,
  isCancelled: row.is_cancelling === 1,
})

/** Puts back the jobs that were taken with these tokens; those attempts do not count. */
export async function giveBack(app: App, tokens: readonly string[]): Promise<void> {
  await app.db.client.execute({
    sql: `update fw_jobs set state = 'ready', lease_token = null, lease_until = null, attempts = attempts - 1
      where state = 'running' and lease_token in (select value from json_each(?))`,
    args: [JSON.stringify(tokens)],
  })
}

type Held = Pick<TakenJob, 'id' | 'token'>

/** Extends the leases of this process. Returns the jobs that it still holds, each with whether it was cancelled. */
export async function renewLeases(app: App, held: readonly Held[]): Promise<Map<string, { isCancelled: boolean }>> {
  const { rows } = await app.db.client.execute({
    sql: `update fw_jobs set lease_until = ? where state = 'running' and (id, lease_token) in
        (select value ->> 0, value ->> 1 from json_each(?)) returning id, is_cancelling`,
    args: [app.now().getTime() + LEASE_IN_MS, JSON.stringify(held.map(({ id, token }) => [id, token]))],
  })
  return new Map(rows.map(row => [String(row.id), { isCancelled: Number(row.is_cancelling) === 1 }]))
}

export interface Progress {
  done: number
  total: number | null
}

export const writeProgress = (on: Runs, { id, token }: Held, { done, total }: Progress) =>
  on.execute({
    sql: 'update fw_jobs set progress_done = ?, progress_total = ? where id = ? and lease_token = ?',
    args: [done, total, id, token],
  })

/** The end of an attempt. */
export type Ending =
  | { state: 'done'; result?: string }
  | { state: 'failed' | 'cancelled'; error?: string }
  /** Tried again at this time. */
  | { state: 'scheduled'; at: Date; error: string }
  /** Returned to the queue: the attempt does not count. */
  | { state: 'ready' }

export interface EndedAttempt {
  job: TakenJob
  ending: Ending
}

/**
 * Stores how attempts ended, except where another process has taken the job meanwhile, and releases the next jobs of their
 * limits.
 */
export async function endAttempts(app: App, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return
  const now = app.now().getTime()
  const rows = ended.map(({ job: { id, token }, ending }) => {
    const isOver = ending.state !== 'scheduled' && ending.state !== 'ready'
    return {
      id,
      token,
      state: ending.state,
      error: 'error' in ending ? (ending.error ?? null) : null,
      result: 'result' in ending ? (ending.result ?? null) : null,
      uncounted: ending.state === 'ready' ? 1 : 0,
      runAt: ending.state === 'scheduled' ? ending.at.getTime() : null,
      finishedAt: isOver ? now : null,
    }
  })
  const limits = ended.flatMap(({ job: { limitKey } }) => (limitKey === null ? [] : [limitKey]))
  const end = { sql: END, args: [JSON.stringify(rows)] }
  const frees = limits.map(key => ({ sql: FREE_NEXT, args: [key, key] }))
  // One statement needs no transaction around it.
  await (frees.length === 0 ? app.db.client.execute(end) : app.db.client.batch([end, ...frees], 'write'))
}

const END = `update fw_jobs set state = e.row ->> 'state', lease_token = null, lease_until = null, error = e.row ->> 'error',
    result = e.row ->> 'result', attempts = attempts - (e.row ->> 'uncounted'), run_at = coalesce(e.row ->> 'runAt', run_at),
    finished_at = e.row ->> 'finishedAt'
  from (select value as row from json_each(?)) e
  where fw_jobs.id = e.row ->> 'id' and fw_jobs.lease_token = e.row ->> 'token'`

const FREE_NEXT = `update fw_jobs set state = 'ready' where id in (
  select id from fw_jobs where state = 'blocked' and limit_key = ?1 order by priority, id limit 1)
  and limit_most > (select count(*) from fw_jobs where state = 'running' and limit_key = ?2)`

/** Cancels a waiting job, and marks a running one as cancelled; returns whether there was one. */
export async function markCancelled(app: App, id: string): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_jobs set is_cancelling = 1, state = case state when 'running' then state else 'cancelled' end,
        finished_at = case state when 'running' then null else ? end
      where id = ? and state in ('scheduled', 'ready', 'blocked', 'running')`,
    args: [app.now().getTime(), id],
  })
  return rowsAffected > 0
}

const RETRY = `update or ignore fw_jobs set state = 'ready', is_cancelling = 0, attempts = 0, run_at = ?, finished_at = null, error = null`

/** Retries a failed or cancelled job with all its attempts; returns whether there was one. */
export async function retryJob(app: App, id: string): Promise<boolean> {
  const sql = `${RETRY} where id = ? and state in ('failed', 'cancelled')`
  const { rowsAffected } = await app.db.client.execute({ sql, args: [app.now().getTime(), id] })
  return rowsAffected > 0
}

/** Retries all failed jobs, or those of this name; returns how many there were. */
export async function retryFailed(app: App, name?: string): Promise<number> {
  const sql = `${RETRY} where state = 'failed' and finished_at is not null and name = coalesce(?, name)`
  const { rowsAffected } = await app.db.client.execute({ sql, args: [app.now().getTime(), name ?? null] })
  return rowsAffected
}

const HOUR_IN_MS = 60 * 60 * 1000
const DAY_IN_MS = 24 * HOUR_IN_MS
/** For the platform's jobs, some of which run twice a second. */
const KEEP_OURS_IN_MS = HOUR_IN_MS
const KEEP_DONE_IN_MS = DAY_IN_MS
const KEEP_FAILED_IN_MS = 30 * DAY_IN_MS

/**
 * Deletes finished jobs after a day, and failed or cancelled ones after 30 days. The platform's are deleted after an hour, except
 * failed ones.
 */
export async function purgeJobs(app: App): Promise<void> {
  const now = app.now().getTime()
  const purge = `delete from fw_jobs where state = ? and finished_at < ?`
  await app.db.client.batch(
    [
      { sql: purge, args: ['done', now - KEEP_DONE_IN_MS] },
      { sql: `${purge} and name glob '${PLATFORM_JOB}*'`, args: ['done', now - KEEP_OURS_IN_MS] },
      { sql: `${purge} and name glob '${PLATFORM_JOB}*'`, args: ['cancelled', now - KEEP_OURS_IN_MS] },
      { sql: purge, args: ['failed', now - KEEP_FAILED_IN_MS] },
      { sql: purge, args: ['cancelled', now - KEEP_FAILED_IN_MS] },
    ],
    'write',
  )
}
