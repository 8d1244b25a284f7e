// The engine takes jobs from the queue and runs them, in every process that serves.
import { setImmediate as nextTurnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app-context'
import { randomToken } from '../crypto/random'
import { hasRequests } from '../background'
import { isRehearsing } from '../database/rehearsal'
import { AppError } from '../http/app-error'
import { CANCELLED, interrupted, LOST, runAttempt, STOPPING } from './attempt'
import { type JobEntry, PLATFORM_JOB } from './job'
import {
  endAttempts,
  type EndedAttempt,
  type Ending,
  giveBack,
  isAnythingDue,
  LEASE_IN_MS,
  markCancelled,
  renewLeases,
  takeJobs,
  type TakenJob,
  wakeJobs,
} from './queue'
import { queueScheduled } from './schedule'

/** How many of the authors' jobs one process runs at a time. The platform's have as many places of their own. */
const AT_ONCE = 16
/** After this time, a job that waits for responses of other servers makes room for the next one. */
const HOLDS_PLACE_FOR_IN_MS = 1000
const LOOK_EVERY_IN_MS = 750
const PAUSE_BESIDE_REQUESTS_IN_MS = 50
const RENEW_EVERY_IN_MS = LEASE_IN_MS / 3
/** The delays of its checks after a job was queued: the surrounding transaction may take a while. */
const LOOK_SOON_IN_MS = [0, 10, 40, 150, 400]
const STOPPED_AFTER_IN_MS = 1000

interface Running {
  job: TakenJob
  clock: AbortController
  holdsPlace: boolean
  ended: Promise<void>
}

interface Engine {
  entries: Map<string, JobEntry>
  running: Map<string, Running>
  /** Attempts whose end is not stored yet. */
  ended: (EndedAttempt & { noted: PromiseWithResolvers<void> })[]
  noting?: Promise<void>
  isStopping: boolean
  isOn: boolean
  looking?: Promise<void>
  isAskedAgain: boolean
  /** Whether more jobs may be ready than there was room for; then the next take skips the check. */
  hasMore: boolean
  /** The most recent check for due jobs in the database, on the clock of `performance.now()`. */
  askedAt: number
  /** The most recent take of jobs, on the clock of `performance.now()`. */
  tookAt: number
  /** Whether the previous query failed to reach the database. */
  isAway: boolean
  /** From when on jobs of silent processes are taken over, on the same clock. */
  takesOverFrom: number
  /** Tokens of takes without a response from the database: they may mark jobs that no process runs. */
  unanswered: Set<string>
}

const engineOf = (app: App): Engine =>
  app.memo('job-engine', () => ({
    entries: new Map(),
    running: new Map(),
    ended: [],
    isStopping: false,
    isOn: false,
    isAskedAgain: false,
    hasMore: false,
    askedAt: -Infinity,
    isAway: false,
    tookAt: -Infinity,
    takesOverFrom: 0,
    unanswered: new Set(),
  }))

/**
 * Starts to run jobs, and returns a function that stops it. That function waits for the running jobs and aborts their signals
 * after `graceInMs`. A second later it returns the unfinished jobs to the queue, or cancels those that may not run again.
 */
export function startJobs(app: App, entries: readonly JobEntry[], { graceInMs = 4000 } = {}): () => Promise<void> {
  const engine = engineOf(app)
  engine.isOn = true
  for (const entry of entries) engine.entries.set(entry.name, entry)
  const timers = [
    setInterval(() => void look(app), LOOK_EVERY_IN_MS),
    setInterval(() => {
      keepRunning(app, engine).catch((error: unknown) => sayAway(app, engine, error))
    }, RENEW_EVERY_IN_MS),
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
    const left = [...engine.running.values()].map(({ job }) => ({ job, ending: interrupted(engine.entries, job) }))
    await endAttempts(app, left).catch((error: unknown) =>
      app.log.warn('jobs could not be given back; another process takes them later', { error }),
    )
  }
}

const allEnded = ({ running }: Engine, mostInMs: number): Promise<unknown> =>
  Promise.race([Promise.all([...running.values()].map(({ ended }) => ended)), sleep(mostInMs)])

/** Whether this process runs jobs. */
export const runsJobs = (app: App): boolean => engineOf(app).isOn

/** Looks for jobs at once, and a few more times while the transaction that queued one may still be open. */
export function wakeSoon(app: App): void {
  if (!runsJobs(app) || isRehearsing()) return
  for (const delay of LOOK_SOON_IN_MS) setTimeout(() => void look(app), delay).unref()
}

/** Takes due jobs, as many as there is room for. A call during another one makes it look once more. Never throws. */
async function look(app: App): Promise<void> {
  const engine = engineOf(app)
  if (engine.isStopping) return undefined
  engine.isAskedAgain = true
  engine.looking ??= (async () => {
    try {
      while (engine.isAskedAgain && !engine.isStopping) {
        engine.isAskedAgain = false
        if (engine.isAway) await comeBack(app, engine)
        await takeDue(app, engine)
      }
    } catch (error) {
      sayAway(app, engine, error)
    } finally {
      engine.looking = undefined
    }
  })()
  return engine.looking
}

/** Logs that the database is unreachable: once per outage. */
function sayAway(app: App, engine: Engine, error: unknown): void {
  if (!engine.isAway) app.log.warn('the job queue cannot be reached; jobs go on when it is back', { error })
  engine.isAway = true
}

/** Renews the leases of this process once the database is back. Other processes have the same time to do so. */
async function comeBack(app: App, engine: Engine): Promise<void> {
  await keepRunning(app, engine)
  engine.isAway = false
  engine.takesOverFrom = performance.now() + RENEW_EVERY_IN_MS
}

async function takeDue(app: App, engine: Engine): Promise<void> {
  const { entries } = engine
  await giveBackUnanswered(app, engine)
  await queueScheduled(app, [...entries.values()])
  if (!engine.hasMore || performance.now() - engine.askedAt >= LOOK_EVERY_IN_MS) {
    if (!(await findDue(app, engine))) return
  }
  const pools = Map.groupBy(entries.keys(), isOurs)
  let hasMore = false
  for (const [ours, names] of pools) hasMore = (await fill(app, engine, { ours, names })) || hasMore
  engine.hasMore = hasMore
}

/** Makes due jobs ready, and returns whether any job is ready. */
async function findDue(app: App, engine: Engine): Promise<boolean> {
  engine.askedAt = performance.now()
  const due = await isAnythingDue(app)
  if (due.isWaking) {
    // This process may have slept for longer than a lease.
    await keepRunning(app, engine)
    await wakeJobs(app, { takesOver: performance.now() >= engine.takesOverFrom })
  }
  return due.isReady || due.isWaking
}

const isOurs = (name: string): boolean => name.startsWith(PLATFORM_JOB)

/** Takes jobs of one kind until there are none, or no room for more; returns whether there may be more. */
async function fill(app: App, engine: Engine, { ours, names }: { ours: boolean; names: string[] }): Promise<boolean> {
  for (;;) {
    await yieldToRequests(app, engine)
    const held = [...engine.running.values()].filter(({ job, holdsPlace }) => holdsPlace && isOurs(job.name) === ours)
    const room = AT_ONCE - held.length
    if (room <= 0 || engine.isStopping) return true
    const { taken, looked } = await take(app, engine, names, room)
    for (const job of taken) begin(app, engine, job)
    if (looked < room) return false
  }
}

/**
 * Waits between two takes while requests arrive. A write to a file blocks the event loop until the disk confirms it, and many
 * short jobs would leave no time for requests.
 */
async function yieldToRequests(app: App, engine: Engine): Promise<void> {
  const pause = engine.tookAt + PAUSE_BESIDE_REQUESTS_IN_MS - performance.now()
  if (pause > 0 && hasRequests(app)) await sleep(pause, undefined, { ref: false })
}

async function take(app: App, engine: Engine, names: readonly string[], most: number) {
  const token = randomToken(12)
  engine.tookAt = performance.now()
  try {
    return await takeJobs(app, { names, most, token })
  } catch (error) {
    if (isOfDatabase(error)) engine.unanswered.add(token)
    throw error
  }
}

async function giveBackUnanswered(app: App, { unanswered }: Engine): Promise<void> {
  const tokens = [...unanswered]
  if (tokens.length === 0) return
  await giveBack(app, tokens)
  for (const token of tokens) unanswered.delete(token)
}

function begin(app: App, engine: Engine, job: TakenJob): void {
  const clock = new AbortController()
  const entry = engine.entries.get(job.name)
  const ended = runAttempt(app, entry, job, clock)
    .then(ending => noteEnd(app, engine, job, ending))
    .catch((error: unknown) =>
      app.log.warn('the end of a job could not be noted; it runs again', { job: job.id, error }),
    )
    .finally(() => {
      clearTimeout(timer)
      engine.running.delete(job.id)
      void look(app)
    })
  const running = { job, clock, ended, holdsPlace: true }
  const letNextIn = () => {
    running.holdsPlace = false
    void look(app)
  }
  const timer = entry?.job.waits ? setTimeout(letNextIn, HOLDS_PLACE_FOR_IN_MS).unref() : undefined
  engine.running.set(job.id, running)
}

/** Stores how an attempt ended, together with others that end meanwhile, and resolves when the database has it. */
function noteEnd(app: App, engine: Engine, job: TakenJob, ending: Ending): Promise<void> {
  const noted = Promise.withResolvers<void>()
  engine.ended.push({ job, ending, noted })
  engine.noting ??= noteEnds(app, engine)
  return noted.promise
}

/** Stores all ended attempts, if necessary when the database is back: otherwise those jobs would run once more. */
async function noteEnds(app: App, engine: Engine): Promise<void> {
  while (engine.ended.length > 0) {
    await nextTurnOfTheLoop()
    const ended = engine.ended.splice(0)
    try {
      await endAttempts(app, ended)
      for (const { noted } of ended) noted.resolve()
    } catch (error) {
      if (engine.isStopping || !isOfDatabase(error)) for (const { noted } of ended) noted.reject(error)
      else {
        engine.ended.unshift(...ended)
        sayAway(app, engine, error)
        await sleep(LOOK_EVERY_IN_MS, undefined, { ref: false })
      }
    }
  }
  engine.noting = undefined
}

const isOfDatabase = (error: unknown): boolean => error instanceof AppError && error.status >= 500

/** Extends the leases of this process, and aborts the jobs that were cancelled or that another process has taken. */
async function keepRunning(app: App, { running }: Engine): Promise<void> {
  if (running.size === 0) return
  const leased = [...running.values()]
  const held = await renewLeases(
    app,
    leased.map(({ job }) => job),
  )
  for (const { job, clock } of leased) {
    const lease = held.get(job.id)
    if (!lease) clock.abort(LOST)
    else if (lease.isCancelled) clock.abort(CANCELLED)
  }
}

/** Cancels a job and aborts its `signal`, in another process within ten seconds. Returns whether there was one. */
export async function cancelJob(app: App, id: string): Promise<boolean> {
  const isThere = await markCancelled(app, id)
  if (isThere) engineOf(app).running.get(id)?.clock.abort(CANCELLED)
  return isThere
}
