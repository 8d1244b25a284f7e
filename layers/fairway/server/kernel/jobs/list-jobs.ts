// Lists of jobs for operators, for metrics and for the person who queued a job.
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { type FollowedJob, followedJobSchema } from '#fairway/shared/schemas/job'
import { listedJobSchema } from '#fairway/shared/schemas/operator'
import { JOB_STATES, type JobState } from '#fairway/shared/schemas/job-states'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '../app-context'
import type { RehearsedRow } from '../database/rehearsal'
import { readSorted, type SortedQuery } from '../database/read-sorted'
import { isoTime } from '../dependent-rows'
import { metricLine } from '../events/metrics'
import { type JobEntry, PLATFORM_JOB } from './job'
import { limitOf } from './queue'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../http/app-error'
import { requireRun, sessionOfRun } from '../current-run'

/** The condition that a job is in a state, in a form that uses an index. */
const isIn = (state: JobState): string =>
  FINISHED.has(state) ? `state = '${state}' and finished_at is not null` : `state = '${state}'`
const FINISHED = new Set<JobState>(['failed', 'cancelled', 'done'])

/** Returns the number of jobs per name and state, in the Prometheus text format; each process counts its finished jobs. */
export async function jobMetrics(app: App): Promise<string> {
  const counts = JOB_STATES.filter(state => state !== 'done').map(
    state => `select name, '${state}' as state, count(*) as number from fw_jobs where ${isIn(state)} group by name`,
  )
  const { rows } = await app.db.client.execute(`${counts.join(' union all ')} order by name, state`)
  const lines = rows.map(({ name, state, number }) =>
    metricLine('fairway_jobs', { job: String(name), state: String(state) }, Number(number)),
  )
  return `# HELP fairway_jobs Jobs of all instances by state.\n# TYPE fairway_jobs gauge\n${lines.join('')}`
}

/**
 * Returns a job that this person queued in the organization they work in, or outside organizations; undefined for any other. A
 * result can contain the organization's data, so it is closed with the organization.
 */
export async function findJobOf(
  app: App,
  { userId, orgId, serviceAccount }: Pick<Session, 'userId' | 'orgId' | 'serviceAccount'>,
  id: string,
): Promise<FollowedJob | undefined> {
  const { rows } = await app.db.client.execute({
    sql: `select name, state, progress_done as done, progress_total as total, result from fw_jobs
      where id = ? and user_id = ? and (org_id is null or org_id = ?)`,
    args: [id, serviceAccount?.id ?? userId, orgId],
  })
  const [row] = rows
  return row && followedJobSchema.parse({ ...row, result: row.result === null ? null : JSON.parse(String(row.result)) })
}

const namedSchema = z.object({
  state: z.enum(JOB_STATES),
  input: z.string(),
  done: z.number().nullable(),
  total: z.number().nullable(),
  result: z.string().nullable(),
  error: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
})

/** A job with its input and its result as JSON, and its times in milliseconds. */
export type NamedJob = z.output<typeof namedSchema>

/** Returns the job of this name and ID, whoever queued it; undefined for none. */
export async function findJobNamed(app: App, name: string, id: string): Promise<NamedJob | undefined> {
  const { rows } = await app.db.client.execute({
    sql: `select state, input, progress_done as done, progress_total as total, result, error, created_at as createdAt,
      started_at as startedAt, finished_at as finishedAt from fw_jobs where id = ? and name = ?`,
    args: [id, name],
  })
  return rows[0] && namedSchema.parse(rows[0])
}

/** Counts the jobs that wait or run and share the limit of a job with this input. */
export async function countOpen(app: App, entry: JobEntry, input: object): Promise<number> {
  const { key } = limitOf(entry, input)
  const counts = ['scheduled', 'ready', 'blocked', 'running'].map(
    state => `(select count(*) from fw_jobs where state = '${state}' and limit_key = ?1)`,
  )
  const { rows } = await app.db.client.execute({ sql: `select ${counts.join(' + ')} as open`, args: [key] })
  return Number(rows[0]?.open)
}

const { person: _ofPeople, organization: _ofOrganizations, ...columns } = listedJobSchema.shape
const rowSchema = z.object({
  ...columns,
  userId: z.string().nullable(),
  orgId: z.string().nullable(),
  sortValue: z.union([z.string(), z.number()]),
})

/** What each order compares. Ids are in the order of queueing. */
const ORDERS = { name: sql`name`, attempts: sql`attempts`, runAt: sql`run_at`, queued: sql`id` }

interface WantedJobs extends SortedQuery<keyof typeof ORDERS> {
  state?: JobState
  name?: string
}

/**
 * Returns a page of jobs, by default the latest first, optionally in this state or of this name. Without a name, finished jobs of
 * the platform are omitted.
 */
export async function listJobs(app: App, { state, name, ...query }: WantedJobs) {
  // Unused conditions are left out, so that the others can use indexes.
  const isNamed =
    name === undefined ? sql.raw(`(state <> 'done' or name not glob '${PLATFORM_JOB}*')`) : sql`name = ${name}`
  const where = state ? sql`${isNamed} and ${sql.raw(isIn(state))}` : isNamed
  // Few jobs are in most states; in the order of ids, the query would scan all others.
  const values = state && state !== 'done' ? { ...ORDERS, queued: sql`+id` } : ORDERS
  const first = { field: 'queued', isDescending: true } as const
  const list = { values, id: sql`id`, from: sql`fw_jobs`, where, first }
  const { rows: jobs, cursor } = await readSorted(list, query, async ({ sortValue, isOnPage, orderBy }) => {
    const rows = await app.db.orm.all(sql`select id, name, state, attempts, ${sql.raw(isoTime('run_at'))} as runAt,
      progress_done as done, progress_total as total, error, user_id as userId, org_id as orgId, ${sortValue} as sortValue
      from fw_jobs where ${isOnPage} order by ${orderBy}`)
    return rows.map(row => rowSchema.parse(row))
  })
  return { jobs, cursor }
}

const countsSchema = z.object({
  waiting: z.number(),
  running: z.number(),
  failed: z.number(),
  oldestDueAt: z.number().nullable(),
})

/** Counts the waiting, running and failed jobs, and returns since when the oldest runnable one waits (milliseconds). */
export async function countJobs(app: App): Promise<z.output<typeof countsSchema>> {
  const { rows } = await app.db.client.execute(`select
    (select count(*) from fw_jobs where state = 'ready') + (select count(*) from fw_jobs where state = 'blocked') as waiting,
    (select count(*) from fw_jobs where state = 'running') as running,
    (select count(*) from fw_jobs where ${isIn('failed')}) as failed,
    (select min(run_at) from fw_jobs where state = 'ready') as oldestDueAt`)
  return countsSchema.parse(rows[0])
}

interface FollowOptions {
  /** Ends the waiting; the job continues. */
  signal: AbortSignal
  /** Receives the progress: `host?.progress` of an action shows it to an MCP host. */
  progress?: (done: number, total?: number) => unknown
}

const LOOK_EVERY_IN_MS = 300

/**
 * Waits for a job that the caller queued in this organization, and returns its result. Throws `conflict` for a failed or
 * cancelled one, and `not-found` for a job that the caller did not queue.
 */
export async function followJob(id: string, { signal, progress }: FollowOptions): Promise<unknown> {
  const run = requireRun()
  const session = await sessionOfRun(run)
  let told = -1
  for (;;) {
    const job = session && (await findJobOf(run.app, session, id))
    if (!job) throw new AppError('not-found')
    if (job.done !== null && job.done !== told) {
      told = job.done
      await progress?.(job.done, job.total ?? undefined)
    }
    if (job.state === 'done') return job.result
    if (job.state === 'failed' || job.state === 'cancelled')
      throw new AppError('conflict', { detail: `The job ${job.state === 'failed' ? 'has failed' : 'was cancelled'}.` })
    await sleep(LOOK_EVERY_IN_MS, undefined, { signal })
  }
}

/** The names of the authors' jobs that a rehearsal queued. The platform's count as what they do, such as mails. */
export async function queuedJobs(app: App, written: readonly RehearsedRow[]): Promise<string[]> {
  const ids = written.flatMap(({ table, id, kind }) => (table === 'fw_jobs' && kind === 'created' ? (id ?? []) : []))
  if (ids.length === 0) return []
  const { rows } = await app.db.client.execute({
    sql: `select name from fw_jobs where id in (select value from json_each(?)) and name not like '${PLATFORM_JOB}%' order by id`,
    args: [JSON.stringify(ids)],
  })
  return rows.map(({ name }) => String(name))
}
