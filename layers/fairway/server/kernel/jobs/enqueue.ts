// Queues jobs: for authors by name, in their open transaction.
import type { JobTypes } from '#fw/job-types'
import type { App } from '../app-context'
import { requireRun, sessionOfRun } from '../current-run'
import { newId } from '../crypto/random'
import type { Orm } from '../database/client'
import { wakeSoon } from './engine'
import type { JobEntry, JobInputOf } from './job'
import { findByKey, insertJob, type QueuedJob } from './queue'

const registry = (app: App) => app.memo('job-registry', () => new Map<string, JobEntry>())

/** Sets the declared jobs. */
export function declareJobs(app: App, entries: readonly JobEntry[]): void {
  for (const entry of entries) registry(app).set(entry.name, entry)
}

interface EnqueueOptions {
  /** The earliest time to run; at once when not given. */
  at?: Date
  /** Only one job of this name and key can wait or run; another one is not queued. */
  key?: string
  /** Lower numbers run first; 0 when not given. */
  priority?: number
}

/** Returns the job of this name; undefined for an unknown name. */
export const findJob = (app: App, name: string): JobEntry | undefined => registry(app).get(name)

/** The declared jobs. */
export const declaredJobs = (app: App): JobEntry[] => [...registry(app).values()]

/** The names of all jobs, for a message. */
export const jobNames = (app: App): string => [...registry(app).keys()].join(', ') || 'none'

/**
 * Queues a job, in the transaction where `db` is one: a rollback also removes the job. Returns the ID of the job, or of the
 * waiting or running one with the same key. A job that a job queues has the same organization. Throws for an input that the job
 * does not accept, and outside requests, actions and jobs.
 */
export async function enqueue<Name extends keyof JobTypes & string>(
  db: Pick<Orm, 'run' | 'all'>,
  name: Name,
  input: JobInputOf<JobTypes[Name]>,
  options: EnqueueOptions = {},
): Promise<string> {
  const run = requireRun()
  const entry = findJob(run.app, name)
  if (!entry) throw new Error(`there is no job ${name}; there are: ${jobNames(run.app)}`)
  const session = await sessionOfRun(run)
  return queueJob(run.app, db, entry, input, {
    ...options,
    orgId: (session ? session.orgId : run.orgId) ?? null,
    userId: session?.serviceAccount?.id ?? session?.userId ?? null,
  })
}

/** Does the same for a job object. */
export async function queueJob(
  app: App,
  on: Pick<Orm, 'run' | 'all'>,
  entry: JobEntry,
  input: unknown,
  queued: Omit<QueuedJob, 'id'> = {},
): Promise<string> {
  const id = newId()
  const { rowsAffected } = await on.run(insertJob(app, entry, entry.job.input.parse(input), { ...queued, id }))
  if (!queued.at || queued.at <= app.now()) wakeSoon(app)
  if (rowsAffected > 0 || queued.key === undefined) return id
  return (await findByKey(on, entry.name, queued.key)) ?? id
}
