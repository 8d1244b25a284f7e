// Schedules for each organization, or for each row of a table: their time zones, and their jobs.
import { getTableName, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { App } from '../app-context'
import { newId } from '../crypto/random'
import type { DeclaredSchedule, EachTable } from './declared-schedule'
import { type JobEntry, surroundingsOf } from './job'
import { limitOf } from './queue'

/** A schedule with `each`. */
export type EachSchedule = DeclaredSchedule & { each: 'organization' | EachTable }

/** How many jobs one statement queues. */
const PIECE = 500

/** The organizations or rows that follow one clock. */
export interface EachClock {
  timeZone: string
  /** The time zones as they are stored, for those that follow this clock. */
  stored: string[]
}

export const eachName = ({ each }: EachSchedule): string => (each === 'organization' ? each : getTableName(each))

/** Groups the stored time zones of a schedule by the clock that they name. Unknown and missing ones are UTC. */
export async function findClocks(app: App, { name }: JobEntry, schedule: EachSchedule): Promise<EachClock[]> {
  const { timeZone } = schedule
  if (typeof timeZone === 'string') return [{ timeZone, stored: [''] }]
  const zones = is(timeZone, SQLiteColumn)
    ? sql`select distinct coalesce(${timeZone}, '') as zone from ${timeZone.table}`
    : sql`select distinct time_zone as zone from fw_job_zones where name = ${name}`
  const rows = await app.db.orm.all<{ zone: string }>(zones)
  const clocks = Map.groupBy(rows, ({ zone }) => toTimeZone(zone) ?? 'UTC')
  return [...clocks].map(([each, found]) => ({ timeZone: each, stored: found.map(({ zone }) => zone) }))
}

/** Returns the usual name of a time zone; undefined for an unknown one. */
export function toTimeZone(text: string): string | undefined {
  try {
    return text === '' ? undefined : new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Queues a job of this due time for each organization or row of a clock, except where it was queued already. */
export async function queueEach(
  app: App,
  entry: JobEntry,
  schedule: EachSchedule,
  { clock, tick }: { clock: EachClock; tick: Date },
): Promise<void> {
  const unknown = clock.stored.filter(text => text !== '' && toTimeZone(text) === undefined)
  if (unknown.length > 0)
    app.log.warn('unknown time zones count as UTC', { job: entry.name, timeZones: unknown.slice(0, 10) })
  const source = sourceOf(app, entry, schedule)
  const stored = JSON.stringify(clock.stored)
  let after: Target['id'] | undefined
  for (;;) {
    const isNext = after === undefined ? sql`1` : sql`id > ${after}`
    const targets: Target[] = await app.db.orm.all<Target>(sql`select id, orgId from (${source})
      where zone in (select value from json_each(${stored})) and ${isNext} order by id limit ${PIECE}`)
    if (targets.length > 0) await app.db.orm.run(insertEach(app, entry, { schedule, tick, targets }))
    if (targets.length < PIECE) return
    after = targets.at(-1)?.id
  }
}

interface Target {
  id: string | number
  orgId: string
}

/** The query of everything that a schedule is for. */
function sourceOf(app: App, { name }: JobEntry, { each, timeZone }: EachSchedule): SQL {
  const organizations = sql.raw(`(${surroundingsOf(app).organizations}) o`)
  const isStored = typeof timeZone === 'function'
  const zones = isStored ? sql`join fw_job_zones z on z.name = ${name} and z.org_id = o.id` : sql``
  const zone = isStored ? sql`z.time_zone` : is(timeZone, SQLiteColumn) ? sql`coalesce(${timeZone}, '')` : sql`''`
  if (each === 'organization')
    return sql`select o.id as id, o.id as orgId, ${zone} as zone from ${organizations} ${zones}`
  return sql`select ${each.id} as id, ${each.orgId} as orgId, ${zone} as zone
    from ${each} join ${organizations} on o.id = ${each.orgId} ${zones}`
}

interface EachJobs {
  schedule: EachSchedule
  tick: Date
  targets: readonly Target[]
}

/** Returns the SQL that queues these jobs, without those of organizations that were deleted meanwhile. */
function insertEach(app: App, entry: JobEntry, { schedule, tick, targets }: EachJobs): SQL {
  const rows = targets.map(({ id, orgId }) => {
    const input = schedule.each === 'organization' ? {} : { rowId: id }
    const limit = limitOf(entry, input)
    return { id: newId(), of: String(id), orgId, input: JSON.stringify(input), limitKey: limit.key }
  })
  const now = app.now().getTime()
  const most = entry.job.concurrency?.most ?? null
  return sql`insert into fw_jobs (id, name, input, state, priority, run_at, key, tick, tick_of, limit_key, limit_most, most_attempts, org_id, created_at)
    select j.value ->> 'id', ${entry.name}, j.value ->> 'input', 'ready', 0, ${now}, 'schedule:' || (j.value ->> 'of'), ${tick.getTime()},
      j.value ->> 'of', j.value ->> 'limitKey', ${most}, ${entry.job.retries + 1}, o.id, ${now}
    from json_each(${JSON.stringify(rows)}) j join ${sql.raw(`(${surroundingsOf(app).organizations}) o`)} on o.id = j.value ->> 'orgId'
    where 1 on conflict do nothing`
}
