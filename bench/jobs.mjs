// `node bench/jobs.mjs [--rounds 3] [--only file|instances|requests]`: measures the throughput of the job queue, and the effect
// of a full queue on requests. The `instances` and `requests` parts require the build for measurements, which `npm run bench`
// writes to `.output-bench` (`--output <folder>` names another one).
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createClient } from '@libsql/client'
import { createJiti } from 'jiti'
import { load, openFreshApp } from '../tests/support/app-process.mjs'
import { median, percentile, signUp, startBuilt } from './built-server.mjs'
import { figures, watch } from './watch.mjs'

/**
 * Measures jobs per second on a file, for jobs without work and jobs that write a row, as medians of the rounds. Also returns the
 * 99th percentile of the milliseconds until a job of an idle queue begins.
 */
export async function measureJobs({ rounds, jobs }) {
  const { app, close } = await openFreshApp()
  const { createMemo } = await load('server/kernel/app-context.ts')
  const { defineJob, queueJob, startJobs } = await load('server/kernel/jobs/index.ts')
  const began = new Map()
  const entry = {
    name: 'bench',
    job: defineJob({ description: 'Nothing.', run: (_input, { id }) => began.set(id, performance.now()) }),
  }
  const writing = {
    name: 'bench-writing',
    job: defineJob({
      description: 'One row.',
      run: (_input, { id, db }) => (began.set(id, 0), db.run(`insert into bench_jobs (id) values ('${id}')`)),
    }),
  }
  await app.db.client.execute('create table bench_jobs (id text primary key)')
  const perSecond = { bench: [], 'bench-writing': [] }
  const queuedPerSecond = []
  for (const each of Array.from({ length: rounds }, () => [entry, writing]).flat()) {
    began.clear()
    const queuing = performance.now()
    await app.db.orm.transaction(async on => {
      for (let n = 0; n < jobs; n++) await queueJob(app, on, each, {})
    })
    queuedPerSecond.push(jobs / ((performance.now() - queuing) / 1000))
    const start = performance.now()
    const other = { ...app, memo: createMemo() }
    const stop = startJobs(other, [each])
    for (;;) {
      const { rows } = await app.db.client.execute(`select count(*) as n from fw_jobs where state <> 'done'`)
      if (rows[0].n === 0) break
      await sleep(20)
    }
    perSecond[each.name].push(jobs / ((performance.now() - start) / 1000))
    if (began.size !== jobs) throw new Error(`${began.size} jobs ran`)
    await stop()
    await app.db.client.batch(['delete from fw_jobs', 'delete from bench_jobs'])
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
  return {
    perSecond: median(perSecond.bench),
    writing: median(perSecond['bench-writing']),
    queuedPerSecond: median(queuedPerSecond),
    p99: percentile(waits, 99),
  }
}

/** Inserts this many bench jobs into the queue directly, so that queueing uses no time of the servers. */
const fillQueue = (db, amount, writes) =>
  db.execute({
    sql: `insert into fw_jobs (id, name, input, state, priority, run_at, most_attempts, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      select ? || printf('%08d', i), 'bench', json_object('writes', json(?)), 'ready', 0, 0, 6, 0 from n`,
    args: [amount, `bench-${Date.now()}-`, writes ? 'true' : 'false'],
  })
const emptyQueue = db =>
  db.batch([`delete from fw_jobs where name = 'bench' and state <> 'running'`, 'delete from bench_jobs'], 'write')
const count = async (db, from) => Number((await db.execute(`select count(*) as n from ${from}`)).rows[0].n)

const ask = async ({ base }, query = '') => {
  const answer = await fetch(`${base}/api/bench/jobs${query}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

/**
 * Measures two instances on one libSQL server, as medians of the rounds: the jobs per second that both run together, for jobs
 * without work and jobs that write a row. Also returns the 99th percentile of the milliseconds until one instance runs a job that
 * the other has queued.
 */
export async function measureInstances({ rounds, jobs, output }) {
  const { startSqld } = await createJiti(import.meta.url).import('../tests/support/database-sqld.ts')
  const sqld = await startSqld()
  const env = { DATABASE_URL: sqld.url.replace('http:', 'ws:') }
  const [one, other] = [await startBuilt({ output, env }), await startBuilt({ output, env })]
  const db = createClient({ url: sqld.url })
  await ask(other)
  const created = []
  for (let n = 0; n < 300; n++) {
    created.push(ask(one, '?queue'))
    await sleep(Math.random() * 60)
  }
  await Promise.all(created)
  while ((await count(db, 'bench_jobs')) < created.length) await sleep(100)
  const { rows } = await db.execute('select ran_at - created_at as wait from bench_jobs join fw_jobs using (id)')
  await ask(one)
  const perSecond = async writes => {
    await emptyQueue(db)
    await fillQueue(db, jobs, writes)
    const began = performance.now()
    while ((await count(db, `fw_jobs where name = 'bench' and state <> 'done'`)) > 0) await sleep(50)
    return jobs / ((performance.now() - began) / 1000)
  }
  const measured = { plain: [], writing: [] }
  for (let round = 0; round < rounds; round++) {
    measured.plain.push(await perSecond(false))
    measured.writing.push(await perSecond(true))
  }
  db.close()
  for (const server of [one, other]) await server.stop()
  await sqld.stop()
  return {
    plain: median(measured.plain),
    writing: median(measured.writing),
    p99: percentile(
      rows.map(row => Number(row.wait)),
      99,
    ),
  }
}

/** The number of warm-up jobs: afterwards the code of jobs is compiled, like that of requests. */
const WARM_UP = 10_000
/** More jobs than a server runs in a second beside requests. */
const FULL = 1000
const SETTLES_IN_MS = 100

/**
 * Measures the response times of requests without jobs and beside a full queue of jobs that write one row each, and the jobs per
 * second. Both are measured for a second in turns, because other load on the machine then affects both equally.
 */
export async function measureBesideJobs({ turns, output }) {
  const server = await startBuilt({ output })
  const watched = { base: server.base, headers: await signUp(server.base, 'watcher@example.test') }
  const db = createClient({ url: `file:${server.database}`, timeout: 5000 })
  await ask(server)
  await fillQueue(db, WARM_UP, true)
  while ((await count(db, `fw_jobs where name = 'bench' and state <> 'done'`)) > 0) await sleep(50)
  const watchASecond = async () => {
    // Checkpoints the rows that this process wrote, so that the server does not spend time on it.
    await db.execute('pragma wal_checkpoint(truncate)')
    await sleep(SETTLES_IN_MS)
    return watch(watched, performance.now() + 1000)
  }
  const measured = { without: [], beside: [] }
  let ran = 0
  for (let turn = 0; turn < turns; turn++) {
    await emptyQueue(db)
    measured.without.push(...(await watchASecond()))
    await fillQueue(db, FULL, true)
    measured.beside.push(...(await watchASecond()))
    ran += await count(db, 'bench_jobs')
    if ((await count(db, `fw_jobs where name = 'bench' and state = 'ready'`)) === 0)
      throw new Error('the queue was empty before the second was over')
  }
  db.close()
  await server.stop()
  return {
    without: figures([measured.without]),
    beside: figures([measured.beside]),
    perSecond: ran / turns / (1 + SETTLES_IN_MS / 1000),
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: '.output-bench' },
      rounds: { type: 'string', default: '3' },
      jobs: { type: 'string', default: '10000' },
      only: { type: 'string', default: '' },
    },
  })
  const rounds = Number(values.rounds)
  const output = fileURLToPath(new URL(`../${values.output}`, import.meta.url))
  const isWanted = part => part.includes(values.only)
  if (isWanted('file')) {
    const { perSecond, writing, queuedPerSecond, p99 } = await measureJobs({ rounds, jobs: Number(values.jobs) })
    console.log(
      `one process on a file: ${perSecond.toFixed(0)} jobs/s run, ${writing.toFixed(0)} that write a row  (wanted ≥ 1500), ${queuedPerSecond.toFixed(0)} jobs/s queued, p99 of an idle queue ${p99.toFixed(0)} ms`,
    )
  }
  if (isWanted('instances')) {
    const { plain, writing, p99 } = await measureInstances({ rounds, jobs: 2000, output })
    console.log(
      `two instances on a libSQL server: ${plain.toFixed(0)} jobs/s, ${writing.toFixed(0)} jobs/s that write a row  (wanted ≥ 300); p99 from one to the other ${p99} ms  (wanted ≤ 1000)`,
    )
  }
  if (isWanted('requests')) {
    const { without, beside, perSecond } = await measureBesideJobs({ turns: rounds * 5, output })
    for (const [name, { p50, p99, max }] of Object.entries({ without, beside }))
      console.log(`${name.padEnd(8)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  max ${max.toFixed(1)} ms`)
    console.log(`${perSecond.toFixed(0)} jobs/s meanwhile`)
    console.log(`p99 beside jobs ÷ without ${(beside.p99 / without.p99).toFixed(2)} ×  (wanted ≤ 1.2)`)
  }
  process.exit()
}
