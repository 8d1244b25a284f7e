import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { defineJob } from '#fairway/server/kernel/jobs'

/** The tables of the job below. */
export const TABLES = 'create table effects (job text not null); create table keyed_effects (job text primary key)'

/** A job with two effects: one row per run, and one row with the job's id as its key. A kill can happen between them. */
export const writeRows = {
  name: 'write-rows',
  job: defineJob({
    description: 'Writes two rows.',
    // Each kill costs the running jobs an attempt.
    retries: 50,
    async run(_input, { id, db }) {
      await db.run(sql`insert or ignore into keyed_effects (job) values (${id})`)
      await sleep(Math.random() * 5)
      await db.run(sql`insert into effects (job) values (${id})`)
    },
  }),
}
