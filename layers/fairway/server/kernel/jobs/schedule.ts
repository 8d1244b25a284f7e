// Queues jobs on their schedules.
import { sql } from 'drizzle-orm'
import type { App } from '../app-context'
import { newId } from '../crypto/random'
import { nextTick, type Schedule } from './cron'
import type { JobEntry } from './job'
import { insertJob } from './queue'

const tickAfter = (schedule: Schedule, now: Date): number =>
  nextTick(schedule, now)?.getTime() ?? Number.MAX_SAFE_INTEGER

const KNOWN_FOR_IN_MS = 60_000

/**
 * Queues the schedules that are due. The first process queues each due time once; of times that were missed while no process ran,
 * only the first is queued. While the previous run has not ended, a due time is skipped.
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
    known.set(entry.name, { at: await settle(app, entry, schedule), until: now + KNOWN_FOR_IN_MS })
  }
}

/** Queues the job if it is due; returns the next due time. */
async function settle(app: App, entry: JobEntry, schedule: Schedule): Promise<number> {
  const { orm } = app.db
  const { name } = entry
  const now = app.now()
  const text = `${schedule.cron} ${schedule.timeZone}`
  const [row] = await orm.all<{ schedule: string; at: number }>(
    sql`select schedule, next_at as at from fw_job_schedules where name = ${name}`,
  )
  const next = tickAfter(schedule, now)
  if (row && row.schedule === text && row.at > now.getTime() && row.at <= next) return row.at
  // A clock that was ahead may have stored a time after the next one; then the schedule counts as new.
  const isDue = row?.schedule === text && row.at <= now.getTime()
  if (isDue) await orm.run(insertJob(app, entry, {}, { id: newId(), key: 'schedule', tick: new Date(row.at) }))
  await orm.run(sql`insert into fw_job_schedules (name, schedule, next_at) values (${name}, ${text}, ${next})
    on conflict (name) do update set schedule = excluded.schedule, next_at = excluded.next_at
      where next_at = ${row?.at ?? next} or schedule <> excluded.schedule`)
  return next
}
