// Queues jobs on their schedules.
import { sql } from 'drizzle-orm'
import type { App } from '../app-context'
import { newId } from '../crypto/random'
import type { InStatement } from '../database/client'
import { AppError } from '../http/app-error'
import { nextTick, type Schedule } from './cron'
import type { DeclaredSchedule } from './declared-schedule'
import { eachName, findClocks, queueEach } from './each'
import type { JobEntry } from './job'
import { insertJob } from './queue'
import { queueTimeZones } from './time-zones'

const NEVER = Number.MAX_SAFE_INTEGER
const tickAfter = (schedule: Schedule, now: Date): number => nextTick(schedule, now)?.getTime() ?? NEVER

const KNOWN_FOR_IN_MS = 60_000

/**
 * Queues the schedules that are due. The first process queues each due time once; of times that were missed while no process ran,
 * only the first is queued. While the previous run has not ended, a due time is skipped. With `each`, this holds for every
 * organization or row.
 */
export async function queueScheduled(app: App, entries: readonly JobEntry[]): Promise<void> {
  const known = app.memo('job-schedules', () => new Map<string, { at: number; until: number }>())
  const now = app.now().getTime()
  for (const entry of entries) {
    const { schedule } = entry.job
    const scheduled = known.get(entry.name)
    // Far from its due time, one query a minute is enough to notice a change by another process.
    if (
      !schedule ||
      (scheduled && now < scheduled.at && now < scheduled.until && now > scheduled.until - 2 * KNOWN_FOR_IN_MS)
    )
      continue
    known.set(entry.name, { at: await settleSafely(app, entry, schedule, entries), until: now + KNOWN_FOR_IN_MS })
  }
}

/**
 * Settles a schedule. One with `each` runs code and reads tables of the author: where these fail, only this schedule waits, for a
 * minute. Throws where the database cannot be reached.
 */
async function settleSafely(app: App, entry: JobEntry, schedule: DeclaredSchedule, entries: readonly JobEntry[]) {
  try {
    return await settle(app, entry, schedule, entries)
  } catch (error) {
    if (!schedule.each || (error instanceof AppError && error.status >= 500)) throw error
    app.log.error('a schedule could not be read; it is tried again in a minute', { job: entry.name, error })
    return NEVER
  }
}

/** One clock that a schedule follows, with its row in `fw_job_schedules`. */
interface Clock {
  name: string
  /** The declaration; when it changes, the clock starts over. */
  text: string
  timeZone: string
  /** Queues what is due at this time. */
  queue(tick: Date): Promise<unknown>
}

/** Queues the job on each clock that is due; returns the soonest due time of them all. */
async function settle(app: App, entry: JobEntry, schedule: DeclaredSchedule, entries: readonly JobEntry[]) {
  const now = app.now()
  const clocks = await clocksOf(app, entry, schedule, entries)
  const rows = await findRows(app, entry.name)
  const changes: InStatement[] = []
  let soonest = NEVER
  for (const clock of clocks) {
    const row = rows.get(clock.name)
    rows.delete(clock.name)
    const next = tickAfter({ cron: schedule.cron, timeZone: clock.timeZone }, now)
    const state = stateOf(clock, row, { now: now.getTime(), next })
    soonest = Math.min(soonest, row && state === 'ahead' ? row.at : next)
    if (row && state === 'due') await clock.queue(new Date(row.at))
    if (state !== 'ahead') changes.push({ sql: STORE, args: [clock.name, clock.text, next, row?.at ?? next] })
  }
  // A clock that nobody follows would be overdue when somebody follows it again.
  for (const [name, { at }] of rows)
    changes.push({ sql: 'delete from fw_job_schedules where name = ? and next_at = ?', args: [name, at] })
  if (changes.length > 0) await app.db.client.batch(changes, 'write')
  return soonest
}

interface ScheduleRow {
  schedule: string
  at: number
}

/** A machine whose clock was ahead may have stored a time after the next one; then the schedule counts as new. */
function stateOf({ text }: Clock, row: ScheduleRow | undefined, { now, next }: { now: number; next: number }) {
  if (row?.schedule !== text) return 'new'
  if (row.at <= now) return 'due'
  return row.at <= next ? 'ahead' : 'new'
}

const STORE = `insert into fw_job_schedules (name, schedule, next_at) values (?, ?, ?)
  on conflict (name) do update set schedule = excluded.schedule, next_at = excluded.next_at
    where next_at = ? or schedule <> excluded.schedule`

/** The stored due times of a job: one, or one for each clock, named `<job> <time zone>`. */
async function findRows(app: App, name: string): Promise<Map<string, ScheduleRow>> {
  const rows = await app.db.orm.all<ScheduleRow & { name: string }>(
    sql`select name, schedule, next_at as at from fw_job_schedules
      where name = ${name} or (name > ${`${name} `} and name < ${`${name}!`})`,
  )
  return new Map(rows.map(row => [row.name, row]))
}

async function clocksOf(
  app: App,
  entry: JobEntry,
  { cron, timeZone, each }: DeclaredSchedule,
  entries: readonly JobEntry[],
): Promise<Clock[]> {
  const { name } = entry
  if (!each) {
    const zone = String(timeZone)
    const queue = (tick: Date) => app.db.orm.run(insertJob(app, entry, {}, { id: newId(), key: 'schedule', tick }))
    return [{ name, text: `${cron} ${zone}`, timeZone: zone, queue }]
  }
  const schedule = { cron, timeZone, each }
  const clocks = await findClocks(app, entry, schedule)
  if (clocks.length === 0 && typeof timeZone === 'function') await queueTimeZones(app, entries)
  return clocks.map(clock => ({
    name: `${name} ${clock.timeZone}`,
    text: `${cron} each ${eachName(schedule)}`,
    timeZone: clock.timeZone,
    queue: tick => queueEach(app, entry, schedule, { clock, tick }),
  }))
}
