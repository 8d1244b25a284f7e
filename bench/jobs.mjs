// `node bench/jobs.mjs [--jobs 10000] [--rounds 3]`: how many jobs a second one process takes, runs and notes on a file database, how
// many it queues in one transaction, and how long a job of an idle queue waits.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { load, openFreshApp } from '../tests/support/app-process.mjs'
import { median } from './built-server.mjs'

/** Jobs a second, medians of the rounds, and the 99th percentile of the milliseconds until a job of an idle queue begins. */
export async function measureJobs({ rounds, jobs }) {
  const { app, close } = await openFreshApp()
  const { createMemo } = await load('server/kernel/app-context.ts')
  const { defineJob, queueJob, startJobs } = await load('server/kernel/jobs/index.ts')
  const began = new Map()
  const entry = {
    name: 'bench',
    job: defineJob({ description: 'Nothing.', run: (_input, { id }) => began.set(id, performance.now()) }),
  }
  const perSecond = []
  const queuedPerSecond = []
  for (let round = 0; round < rounds; round++) {
    began.clear()
    const queuing = performance.now()
    await app.db.orm.transaction(async on => {
      for (let n = 0; n < jobs; n++) await queueJob(app, on, entry, {})
    })
    queuedPerSecond.push(jobs / ((performance.now() - queuing) / 1000))
    const start = performance.now()
    const other = { ...app, memo: createMemo() }
    const stop = startJobs(other, [entry])
    for (;;) {
      const { rows } = await app.db.client.execute(`select count(*) as n from fw_jobs where state <> 'done'`)
      if (rows[0].n === 0) break
      await sleep(20)
    }
    perSecond.push(jobs / ((performance.now() - start) / 1000))
    if (began.size !== jobs) throw new Error(`${began.size} jobs ran`)
    await stop()
    await app.db.client.execute('delete from fw_jobs')
  }
  const idle = { ...app, memo: createMemo() }
  const stop = startJobs(idle, [entry])
  const waits = []
  for (let n = 0; n < 200; n++) {
    await sleep(5 + Math.random() * 20)
    const queued = performance.now()
    const id = await queueJob(idle, idle.db.orm, entry, {})
    while (!began.has(id)) await sleep(1)
    waits.push(began.get(id) - queued)
  }
  await stop()
  await close()
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    perSecond: median(perSecond),
    queuedPerSecond: median(queuedPerSecond),
    p99: sorted[Math.floor(sorted.length * 0.99)],
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '3' }, jobs: { type: 'string', default: '10000' } },
  })
  const { perSecond, queuedPerSecond, p99 } = await measureJobs({
    rounds: Number(values.rounds),
    jobs: Number(values.jobs),
  })
  console.log(
    `${perSecond.toFixed(0)} jobs/s run, ${queuedPerSecond.toFixed(0)} jobs/s queued, p99 of an idle queue ${p99.toFixed(0)} ms`,
  )
}
