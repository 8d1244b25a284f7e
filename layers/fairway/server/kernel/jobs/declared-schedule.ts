// The schedule of a job as its author declares it.
import { is } from 'drizzle-orm'
import { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { Orm } from '../database/client'
import { scheduleFault } from './cron'

/** A table whose rows each have a schedule: they belong to organizations. */
export type EachTable = SQLiteTable & { id: SQLiteColumn; orgId: SQLiteColumn }

/** Returns the time zone of an organization; without one it is UTC. */
export type TimeZoneOf = (
  organization: { id: string; name: string },
  context: { db: Orm },
) => string | null | undefined | Promise<string | null | undefined>

interface EachSchedule<Each> {
  cron: string
  /** Runs once for each organization, or for each row of a table with `id` and `orgId`. */
  each: Each
  /** A fixed time zone, a function that returns that of an organization, or a column of the table; UTC when not given. */
  timeZone?: string | TimeZoneOf | (Each extends EachTable ? SQLiteColumn : never)
}

/** What an author may write as `schedule`. */
export type ScheduleOptions =
  | string
  | { cron: string; timeZone?: string; each?: undefined }
  | EachSchedule<'organization'>
  | EachSchedule<EachTable>

/** A schedule with its defaults. */
export interface DeclaredSchedule {
  cron: string
  timeZone: string | TimeZoneOf | SQLiteColumn
  each?: 'organization' | EachTable
}

const isEachTable = (value: unknown): value is EachTable =>
  is(value, SQLiteTable) && ['id', 'orgId'].every(name => is(Reflect.get(value, name), SQLiteColumn))

/** Returns the fault of a declared schedule; undefined when it is valid. */
function faultOf({ cron, timeZone, each }: DeclaredSchedule): string | undefined {
  if (is(timeZone, SQLiteColumn)) {
    if (timeZone.table !== each) return 'the column `timeZone` must be one of the table `each`'
  } else if (typeof timeZone === 'function' && !each) return 'a function as `timeZone` requires `each`'
  return scheduleFault({ cron, timeZone: typeof timeZone === 'string' ? timeZone : 'UTC' })
}

const declaredSchema = z.strictObject({
  cron: z.string(),
  timeZone: z
    .custom<DeclaredSchedule['timeZone']>(
      value => typeof value === 'string' || typeof value === 'function' || is(value, SQLiteColumn),
      'must be a time zone, a function or a column',
    )
    .default('UTC'),
  each: z
    .custom<DeclaredSchedule['each']>(
      value => value === 'organization' || isEachTable(value),
      'must be “organization” or a table with the columns id and orgId',
    )
    .optional(),
})

export const scheduleSchema = z
  .preprocess(value => (typeof value === 'string' ? { cron: value } : value), declaredSchema)
  .superRefine((schedule, context) => {
    const fault = faultOf(schedule)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
