import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMemo } from '#fairway/server/kernel/app-context'
import { queueJob, startJobs } from '#fairway/server/kernel/jobs'
import { createTestApp, type TestApp } from '../../../support/app'
import { countRows, query } from '../../../support/query'
import { bundleWorkers, PAST_THE_LEASE_IN_MS, type Workers } from './processes/start-worker'
import { TABLES, writeRows } from './processes/write-rows'

const KILLS = 20
const JOBS_BETWEEN_KILLS = 20

let test: TestApp
let workers: Workers

beforeAll(async () => {
  test = await createTestApp()
  await test.app.db.client.executeMultiple(TABLES)
  workers = await bundleWorkers()
})
afterAll(async () => {
  workers.remove()
  await test.close()
})

// On a busy machine, the processes take most of a minute just to load.
it(
  'runs every job when 20 processes are killed at random, with one effect when its id is the key',
  { timeout: 90_000 },
  async () => {
    const { app } = test
    const load = (kill: number) => workers.load(app.config.database.url, kill * PAST_THE_LEASE_IN_MS)
    const queued: string[] = []
    let next = load(0)
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const worker = await next
      // The next worker loads while this one works.
      next = load(kill)
      await app.db.orm.transaction(async on => {
        for (let n = 0; n < JOBS_BETWEEN_KILLS; n += 1) queued.push(await queueJob(app, on, writeRows, {}))
      })
      worker.say('work')
      await worker.hears('working')
      await sleep(Math.random() * 60)
      await worker.kill()
    }
    await (await next).kill()
    const later = { ...app, memo: createMemo(), now: () => new Date(Date.now() + KILLS * PAST_THE_LEASE_IN_MS) }
    const stop = startJobs(later, [writeRows])
    await expect.poll(() => countRows(app, "fw_jobs where state = 'done'"), { timeout: 20_000 }).toBe(queued.length)
    await stop()

    const idsOf = async (table: string) =>
      (await query(app, `select job from ${table} order by job`)).map(row => row.job)
    expect(await idsOf('keyed_effects')).toEqual(queued.toSorted())
    expect([...new Set(await idsOf('effects'))]).toEqual(queued.toSorted())
    // Unless the kills have interrupted jobs, the test proves nothing.
    expect(await countRows(app, 'fw_jobs where attempts > 1')).toBeGreaterThan(KILLS)
  },
)
