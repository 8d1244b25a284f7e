import { sql } from 'drizzle-orm'
import { defineEventHandler, getQuery } from 'h3'
import { z } from 'zod'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineJob, queueJob, startJobs } from '#fairway/server/kernel/jobs'

const entry = {
  name: 'bench',
  job: defineJob({
    description: 'Writes one row that says when, or does nothing.',
    input: z.object({ writes: z.boolean() }),
    run: ({ writes }, { id, db }) =>
      writes ? db.run(sql`insert into bench_jobs (id, ran_at) values (${id}, ${Date.now()})`) : undefined,
  }),
}

/** Starts the bench jobs on this instance; with `?queue` it queues one of them instead. */
export default defineEventHandler(async event => {
  const app = getApp(event)
  await app.db.client.execute('create table if not exists bench_jobs (id text primary key, ran_at integer)')
  if ('queue' in getQuery(event)) await queueJob(app, app.db.orm, entry, { writes: true })
  else app.memo('bench-jobs', () => startJobs(app, [entry]))
  return {}
})
