// The engine: takes jobs from the queue and runs them, in every process that serves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app-context'
import { CANCELLED, LOST, runAttempt, STOPPING } from './attempt'
import type { JobEntry } from './job'
import {
  endAttempt,
  type Ending,
  isAnythingDue,
  LEASE_IN_MS,
  markCancelled,
  renewLeases,
  takeJobs,
  type TakenJob,
  wakeJobs,
} from './queue'
import { queueScheduled } from './schedule'

/** How many jobs one process runs at a time. */
const AT_ONCE = 16
const LOOK_EVERY_IN_MS = 750
/** When it looks again after something was queued: the transaction that it is in may take a while. */
const LOOK_SOON_IN_MS = [0, 10, 40, 150, 400]
const STOPPED_AFTER_IN_MS = 1000

interface Running {
  job: TakenJob
  clock: AbortController
  ended: Promise<void>
}

interface Engine {
  entries: Map<string, JobEntry>
  running: Map<string, Running>
  isStopping: boolean
  isOn: boolean
  looking?: Promise<void>
  isAskedAgain: boolean
  /** Whether the database could not be asked the last time. */
  isAway: boolean
}

const engineOf = (app: App): Engine =>
  app.memo('job-engine', () => ({
    entries: new Map(),
    running: new Map(),
    isStopping: false,
    isOn: false,
    isAskedAgain: false,
    isAway: false,
  }))

/**
 * Starts to run jobs, and returns a function that stops it. That function waits for the running jobs and aborts their signals after
 * `graceInMs`. A second later it puts back what has not ended, for the next process.
 */
export function startJobs(app: App, entries: readonly JobEntry[], { graceInMs = 4000 } = {}): () => Promise<void> {
  const engine = engineOf(app)
  engine.isOn = true
  for (const entry of entries) engine.entries.set(entry.name, entry)
  const timers = [
    setInterval(() => void look(app), LOOK_EVERY_IN_MS),
    setInterval(() => void renew(app), LEASE_IN_MS / 3),
  ]
  for (const timer of timers) timer.unref()
  void look(app)
  return async () => {
    if (engine.isStopping) return
    engine.isStopping = true
    for (const timer of timers) clearInterval(timer)
    await engine.looking
    await allEnded(engine, graceInMs)
    for (const { clock } of engine.running.values()) clock.abort(STOPPING)
    await allEnded(engine, STOPPED_AFTER_IN_MS)
    await Promise.all([...engine.running.values()].map(({ job }) => endAttempt(app, job, { state: 'ready' })))
  }
}

const allEnded = ({ running }: Engine, mostInMs: number): Promise<unknown> =>
  Promise.race([Promise.all([...running.values()].map(({ ended }) => ended)), sleep(mostInMs)])

/** Whether this process runs jobs. */
export const runsJobs = (app: App): boolean => engineOf(app).isOn

/** Looks for jobs at once, and a few times more while the transaction that has queued one may still be open. */
export function wakeSoon(app: App): void {
  if (!runsJobs(app)) return
  for (const delay of LOOK_SOON_IN_MS) setTimeout(() => void look(app), delay).unref()
}

/** Takes what is due, as much as there is room for. A call while one is under way has it look once more. Never throws. */
async function look(app: App): Promise<void> {
  const engine = engineOf(app)
  if (engine.isStopping) return undefined
  engine.isAskedAgain = true
  engine.looking ??= (async () => {
    try {
      while (engine.isAskedAgain && !engine.isStopping) {
        engine.isAskedAgain = false
        await takeDue(app, engine)
        engine.isAway = false
      }
    } catch (error) {
      // Once, however long the database stays away.
      if (!engine.isAway) app.log.warn('jobs could not be looked for; it is tried again', { error })
      engine.isAway = true
    } finally {
      engine.looking = undefined
    }
  })()
  return engine.looking
}

async function takeDue(app: App, engine: Engine): Promise<void> {
  const { entries, running } = engine
  await queueScheduled(app, [...entries.values()])
  const due = await isAnythingDue(app)
  if (due.isWaking) await wakeJobs(app)
  if (!due.isReady && !due.isWaking) return
  const names = [...entries.keys()]
  for (let room = AT_ONCE - running.size; room > 0 && !engine.isStopping; room = AT_ONCE - running.size) {
    const { taken, looked } = await takeJobs(app, names, room)
    for (const job of taken) begin(app, engine, job)
    if (looked < room) return
  }
}

function begin(app: App, engine: Engine, job: TakenJob): void {
  const clock = new AbortController()
  const ended = runAttempt(app, engine.entries.get(job.name), job, clock)
    .then(ending => endAttempt(app, job, ending))
    .catch((error: unknown) =>
      app.log.warn('the end of a job could not be noted; it runs again', { job: job.id, error }),
    )
    .finally(() => {
      engine.running.delete(job.id)
      void look(app)
    })
  engine.running.set(job.id, { job, clock, ended })
}

/** A job that `runDueJobs` has run once. */
export interface RanJob {
  id: string
  name: string
  state: Ending['state']
  error?: string
}

/** Runs what is due now, and what those jobs queue, one after another until nothing is left; tests do this instead of starting the engine. */
export async function runDueJobs(app: App, entries: readonly JobEntry[]): Promise<RanJob[]> {
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  const ran: RanJob[] = []
  await queueScheduled(app, entries)
  await wakeJobs(app)
  for (;;) {
    const { taken, looked } = await takeJobs(app, [...byName.keys()], 1)
    if (looked === 0) return ran
    for (const job of taken) {
      const ending = await runAttempt(app, byName.get(job.name), job, new AbortController())
      await endAttempt(app, job, ending)
      ran.push({ id: job.id, name: job.name, ...('error' in ending && { error: ending.error }), state: ending.state })
    }
  }
}

/** Extends the leases of this process, and aborts the jobs that somebody has cancelled or another process has taken. */
async function renew(app: App): Promise<void> {
  const { running } = engineOf(app)
  if (running.size === 0) return
  const asked = [...running.values()]
  try {
    const held = await renewLeases(
      app,
      asked.map(({ job }) => job),
    )
    for (const { job, clock } of asked) {
      const lease = held.get(job.id)
      if (!lease) clock.abort(LOST)
      else if (lease.isCancelled) clock.abort(CANCELLED)
    }
  } catch (error) {
    app.log.warn('jobs could not be kept', { error })
  }
}

/** Cancels a job. One that runs has its `signal` aborted: at once here, and within ten seconds in another process. Returns whether there was one. */
export async function cancelJob(app: App, id: string): Promise<boolean> {
  const isThere = await markCancelled(app, id)
  if (isThere) engineOf(app).running.get(id)?.clock.abort(CANCELLED)
  return isThere
}
