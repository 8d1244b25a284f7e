// Runs one attempt at a job: its code has a time limit, and its error decides whether it is tried again.
import type { App } from '../app-context'
import { withRun, withTimeout } from '../current-run'
import { countMetric, observeSeconds } from '../events/metrics'
import { AppError } from '../http/app-error'
import { type Job, type JobContext, type JobEntry, surroundingsOf } from './job'
import {
  type Ending,
  type Progress,
  type TakenJob,
  tellOfFailure,
  writeProgress,
  endAttempts,
  takeJobs,
  wakeJobs,
} from './queue'
import { randomToken } from '../crypto/random'
import { queueScheduled } from './schedule'
import { refreshTimeZones } from './time-zones'

const PROGRESS_EVERY_IN_MS = 500

/** The reasons for aborting the clock of an attempt. */
export const CANCELLED = new Error('The job was cancelled.')
export const STOPPING = new Error('The server stops.')
export const LOST = new Error('Another process has taken the job.')

/** Runs one attempt until `clock` is aborted at most. Returns how it ended, for the caller to store. */
export async function runAttempt(
  app: App,
  entry: JobEntry | undefined,
  job: TakenJob,
  clock: AbortController,
): Promise<Ending> {
  const progress = createProgress(app, job)
  const began = performance.now()
  const ending = entry ? await run(app, entry, { job, clock, progress }) : ({ state: 'ready' } as const)
  await progress.end()
  const seconds = (performance.now() - began) / 1000
  countMetric(app, 'fairway_jobs_total', 'Attempts of jobs by how they ended.', { job: job.name, state: ending.state })
  observeSeconds(app, 'fairway_job_seconds', 'How long attempts of jobs ran.', seconds, { job: job.name })
  return ending
}

interface Attempt {
  job: TakenJob
  clock: AbortController
  progress: ReturnType<typeof createProgress>
}

async function run(app: App, { name, job: declared }: JobEntry, { job, clock, progress }: Attempt): Promise<Ending> {
  const about = { job: name, id: job.id, attempt: job.attempt }
  try {
    const input = declared.input.safeParse(job.input)
    if (!input.success) return { state: 'failed', error: `The input is not accepted any more: ${input.error.message}` }
    if (job.isCancelled) return { state: 'cancelled' }
    const organization = await findOrganization(app, job.orgId)
    if (declared.schedule?.each && job.orgId !== null && !organization)
      return { state: 'cancelled', error: 'Its organization was deleted.' }
    const context = contextOf(app, { name, job, clock, progress, organization })
    const returned = await withRun({ app, session: null, caller: 'job', orgId: job.orgId }, () =>
      withTimeout(declared.timeout, clock, async () => declared.run(input.data as never, context)),
    )
    return { state: 'done', result: resultOf(returned, declared.platform?.mostOfResult) }
  } catch (thrown) {
    const ending = endingOf(app, { job, declared }, clock.signal.aborted ? clock.signal.reason : thrown)
    if (ending.state === 'failed') await tellOfFailure(app, about, thrown)
    else if (ending.state === 'scheduled')
      app.log.warn('a job is tried again', { ...about, at: ending.at, error: thrown })
    return ending
  }
}

interface Surrounded extends Attempt, Pick<JobContext, 'organization'> {
  name: string
}

const contextOf = (app: App, { name, job, clock, progress, organization }: Surrounded): JobContext => ({
  id: job.id,
  attempt: job.attempt,
  isLast: job.isLast,
  orgId: job.orgId,
  organization,
  userId: job.userId,
  db: app.db.orm,
  log: app.log,
  signal: clock.signal,
  now: app.now,
  progress: progress.set,
  ...surroundingsOf(app).makeExtras({ name, id: job.id, orgId: job.orgId, userId: job.userId, signal: clock.signal }),
})

/** Returns the organization of a job; null without one, and for a deleted one. */
async function findOrganization(app: App, orgId: string | null): Promise<JobContext['organization']> {
  if (orgId === null) return null
  const find = app.memo('job-organization', () =>
    app.db.prepareRead<{ id: string; name: string }>(
      `select id, name from (${surroundingsOf(app).organizations}) where id = ?`,
    ),
  )
  return (await find([orgId]))[0] ?? null
}

const MOST_RESULT_CHARACTERS = 16_000

/**
 * Returns a job's result as JSON. The work is done, so a result that is too long or not JSON is dropped without failing the job.
 */
function resultOf(returned: unknown, most = MOST_RESULT_CHARACTERS): string | undefined {
  try {
    const text: string | undefined = JSON.stringify(returned)
    return text !== undefined && text.length <= most ? text : undefined
  } catch {
    return undefined
  }
}

/** How the stop of a server ends a running job: the next process runs it, if it may run again. */
export const interrupted = (entries: Pick<Map<string, JobEntry>, 'get'>, { name }: Pick<TakenJob, 'name'>): Ending =>
  endingOfStop(entries.get(name)?.job)

const endingOfStop = (declared: Job | undefined): Ending =>
  declared?.platform?.isOnce ? { state: 'cancelled', error: STOPPING.message } : { state: 'ready' }

/** Statuses that another attempt may change. */
const PASSING = new Set([408, 409, 425, 429])

function endingOf(app: App, { job, declared }: { job: TakenJob; declared: Job }, thrown: unknown): Ending {
  const { attempt: number, isLast } = job
  if (thrown === STOPPING || thrown === LOST) return endingOfStop(declared)
  if (thrown === CANCELLED) return { state: 'cancelled' }
  const error = thrown instanceof Error ? thrown.message : String(thrown)
  const isFinal = thrown instanceof AppError && thrown.status < 500 && !PASSING.has(thrown.status)
  if (isLast || isFinal) return { state: 'failed', error }
  return { state: 'scheduled', error, at: new Date(app.now().getTime() + delayOf(number)) }
}

const FIRST_DELAY_IN_MS = 10_000
const LONGEST_DELAY_IN_MS = 60 * 60 * 1000

/** Doubles after each attempt, plus up to a quarter at random, so that jobs that failed together do not retry together. */
const delayOf = (attempts: number): number =>
  Math.min(FIRST_DELAY_IN_MS * 2 ** (attempts - 1), LONGEST_DELAY_IN_MS) * (1 + Math.random() / 4)

/** Stores a job's progress, at most every half second. */
function createProgress(app: App, job: TakenJob) {
  let latest: Progress | undefined
  let timer: NodeJS.Timeout | undefined
  const write = async () => {
    timer = undefined
    const now = latest
    latest = undefined
    if (now) await writeProgress(app.db.client, job, now)
  }
  return {
    set(done: number, total?: number): void {
      latest = { done, total: total ?? null }
      timer ??= setTimeout(() => void write().catch(() => {}), PROGRESS_EVERY_IN_MS).unref()
    },
    async end(): Promise<void> {
      clearTimeout(timer)
      await write().catch(() => {})
    },
  }
}

/** A job that `runDueJobs` ran once. */
export interface RanJob {
  id: string
  name: string
  state: Ending['state']
  error?: string
}

/** Runs the jobs that are due now, and the jobs that they queue, in sequence until none is left. */
export async function runDueJobs(app: App, entries: readonly JobEntry[]): Promise<RanJob[]> {
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  const ran: RanJob[] = []
  await refreshTimeZones(app, entries)
  await queueScheduled(app, entries)
  await wakeJobs(app, { takesOver: true })
  for (;;) {
    const { taken, looked } = await takeJobs(app, { names: [...byName.keys()], most: 1, token: randomToken(12) })
    if (looked === 0) return ran
    for (const job of taken) {
      const ending = await runAttempt(app, byName.get(job.name), job, new AbortController())
      await endAttempts(app, [{ job, ending }])
      ran.push({ id: job.id, name: job.name, ...('error' in ending && { error: ending.error }), state: ending.state })
    }
  }
}
