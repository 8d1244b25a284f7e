import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { JOB_STATES } from '../../../shared/schemas/job-states'
import { id, timestamp } from '../database/columns'

/** Work outside requests: each row is one job, which any process may run. */
export const jobs = sqliteTable(
  'fw_jobs',
  {
    id: id(),
    name: text('name').notNull(),
    /** JSON. */
    input: text('input').notNull(),
    state: text('state', { enum: JOB_STATES }).notNull(),
    /** Lower numbers run first. */
    priority: integer('priority').notNull().default(0),
    /** The earliest time to run. */
    runAt: timestamp('run_at').notNull(),
    /** Only one job of its name may wait or run with this key. */
    key: text('key'),
    /** The due time of the schedule that it is for; only one of several processes queues it. */
    tick: timestamp('tick'),
    /** The organization or row that the due time is for; empty for a schedule without `each`. */
    tickOf: text('tick_of').notNull().default(''),
    /** Jobs of the same limit run `limit_most` at a time. */
    limitKey: text('limit_key'),
    limitMost: integer('limit_most'),
    attempts: integer('attempts').notNull().default(0),
    mostAttempts: integer('most_attempts').notNull(),
    /** When the running process's lease expires; then another process takes the job. */
    leaseUntil: timestamp('lease_until'),
    /** Random and new for each attempt: only its holder may write to the row. */
    leaseToken: text('lease_token'),
    isCancelling: integer('is_cancelling', { mode: 'boolean' }).notNull().default(false),
    progressDone: integer('progress_done'),
    progressTotal: integer('progress_total'),
    /** Its return value, as JSON. */
    result: text('result'),
    /** The error of the latest attempt. */
    error: text('error'),
    /** The organization that it was queued in; null outside organizations and for schedules. */
    orgId: text('org_id'),
    /** The person who queued it; null for schedules and where no person was signed in. */
    userId: text('user_id'),
    createdAt: timestamp('created_at').notNull(),
    startedAt: timestamp('started_at'),
    finishedAt: timestamp('finished_at'),
  },
  table => [
    index('fw_jobs_scheduled')
      .on(table.runAt)
      .where(sql`state = 'scheduled'`),
    index('fw_jobs_ready')
      .on(table.priority, table.id)
      .where(sql`state = 'ready'`),
    index('fw_jobs_blocked')
      .on(table.limitKey, table.priority, table.id)
      .where(sql`state = 'blocked'`),
    index('fw_jobs_running')
      .on(table.limitKey)
      .where(sql`state = 'running'`),
    index('fw_jobs_lease')
      .on(table.leaseUntil)
      .where(sql`state = 'running'`),
    index('fw_jobs_finished')
      .on(table.state, table.finishedAt)
      .where(sql`finished_at is not null`),
    uniqueIndex('fw_jobs_key')
      .on(table.name, table.key)
      .where(sql`key is not null and state in ('scheduled', 'ready', 'blocked', 'running')`),
    uniqueIndex('fw_jobs_tick')
      .on(table.name, table.tick, table.tickOf)
      .where(sql`tick is not null`),
  ],
)

/** When each schedule is due next. */
export const jobSchedules = sqliteTable('fw_job_schedules', {
  /** The name of the job; with `each` also the time zone. */
  name: text('name').primaryKey(),
  /** The declared schedule; a changed one starts over. */
  schedule: text('schedule').notNull(),
  nextAt: timestamp('next_at').notNull(),
})

/** The time zone of each organization, where a function of the schedule returns it. */
export const jobZones = sqliteTable(
  'fw_job_zones',
  {
    /** The name of the job. */
    name: text('name').notNull(),
    orgId: text('org_id').notNull(),
    timeZone: text('time_zone').notNull(),
  },
  table => [
    primaryKey({ columns: [table.name, table.orgId] }),
    index('fw_job_zones_zone').on(table.name, table.timeZone, table.orgId),
  ],
)
