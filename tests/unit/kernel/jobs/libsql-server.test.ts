import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineJob } from '#fw'
import { declareWork } from '#fairway/server/declare-work'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { type JobEntry, queueJob, runDueJobs, startJobs } from '#fairway/server/kernel/jobs'
import { createTestApp, type TestApp } from '../../../support/app'
import { startLink } from '../../../support/database-slow'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { countRows, query } from '../../../support/query'
import { serve } from '../../../support/web-server'
import { bundleWorkers, PAST_THE_LEASE_IN_MS } from './processes/start-worker'
import { TABLES, writeRows } from './processes/write-rows'

// The time limit for effects of another process, on a machine that may be busy.
const SOON = { timeout: 20_000 }

let server: Sqld
let instances: TestApp[]
let now: Date
let stops: (() => Promise<void>)[]

beforeAll(async () => {
  server = await startSqld()
  const [first] = (instances = [await createInstance(), await createInstance()])
  await first!.app.db.client.executeMultiple(TABLES)
})
afterAll(async () => {
  await Promise.all(instances.map(instance => instance.close()))
  await server.stop()
})

beforeEach(() => {
  stops = []
  now = new Date('2031-05-20T09:00:00Z')
})
afterEach(async () => {
  await Promise.all(stops.map(stop => stop()))
  for (const table of ['fw_jobs', 'fw_job_schedules', 'fw_job_zones', 'organizations', 'effects', 'keyed_effects'])
    await query(instances[0]!.app, `delete from ${table}`)
})

const createInstance = () => createTestApp({ DATABASE_URL: server.url })
/** Both instances, with empty memory and the test's clock. */
const bothApps = (): [App, App] => {
  const [one, other] = instances.map(({ app }) => ({ ...app, memo: createMemo(), now: () => new Date(now) }))
  return [one!, other!]
}
const start = (app: App, ...entries: JobEntry[]) => stops.push(startJobs(app, entries))
const jobOf = (options: Omit<Parameters<typeof defineJob>[0], 'description'>, name = 'job'): JobEntry => ({
  name,
  job: defineJob({ description: 'A job.', ...options }),
})
const queue = async (app: App, entry: JobEntry, count: number) =>
  app.db.orm.transaction(async on => {
    for (let n = 0; n < count; n += 1) await queueJob(app, on, entry, {})
  })
const countDone = () => countRows(instances[0]!.app, "fw_jobs where state = 'done'")

describe('two instances on one libSQL server', () => {
  it('run each job once', async () => {
    const runs: string[][] = [[], []]
    const apps = bothApps()
    const entries = runs.map(own => jobOf({ run: (_input, { id }) => void own.push(id) }))
    await queue(apps[0], entries[0]!, 200)
    for (const [at, app] of apps.entries()) start(app, entries[at]!)
    await expect.poll(countDone, SOON).toBe(200)
    expect(new Set(runs.flat()).size).toBe(200)
    expect(runs.flat()).toHaveLength(200)
    expect(runs.map(own => own.length > 0)).toEqual([true, true])
  })

  it('respect a concurrency limit together', async () => {
    let active = 0
    let most = 0
    const apps = bothApps()
    const entry = jobOf({
      concurrency: 3,
      async run() {
        most = Math.max(most, ++active)
        await sleep(20)
        active -= 1
      },
    })
    await queue(apps[0], entry, 30)
    for (const app of apps) start(app, entry)
    await expect.poll(countDone, SOON).toBe(30)
    expect(most).toBe(3)
  })

  it('queue each scheduled time once', async () => {
    const apps = bothApps()
    const entry = jobOf({ schedule: '0 * * * *', run: () => {} })
    for (const app of apps) await runDueJobs(app, [entry])
    for (const hour of ['10', '11', '12']) {
      now = new Date(`2031-05-20T${hour}:00:00Z`)
      const ran = await Promise.all(apps.map(app => runDueJobs(app, [entry])))
      expect(ran.flat()).toHaveLength(1)
    }
    expect(await query(apps[0], 'select state, attempts from fw_jobs')).toEqual(
      [1, 2, 3].map(() => ({ state: 'done', attempts: 1 })),
    )
  })

  it('queue each scheduled time once for each organization', async () => {
    const apps = bothApps()
    for (const id of ['larch', 'alder'])
      await query(apps[0], `insert into organizations (id, name, created_by, created_at) values (?, 'One', 'ada', 0)`, [
        id,
      ])
    const timeZone = ({ id }: { id: string }) => (id === 'larch' ? 'Asia/Kolkata' : 'Europe/Berlin')
    const entry = jobOf({ schedule: { cron: '0 * * * *', each: 'organization', timeZone }, run: () => {} })
    for (const app of apps) {
      declareWork(app, { jobs: [entry], mails: [], actions: async () => [] })
      await runDueJobs(app, [entry])
    }
    for (const time of ['09:30', '10:00', '10:30', '11:00']) {
      now = new Date(`2031-05-20T${time}:00Z`)
      const ran = await Promise.all(apps.map(app => runDueJobs(app, [entry])))
      expect(ran.flat()).toHaveLength(1)
    }
    const rows = await query(apps[0], 'select org_id, state, attempts from fw_jobs order by id')
    expect(rows).toEqual(['larch', 'alder', 'larch', 'alder'].map(org_id => ({ org_id, state: 'done', attempts: 1 })))
  })

  it('take over the jobs of a killed process', async () => {
    const [app] = bothApps()
    now = new Date()
    const workers = await bundleWorkers()
    const worker = await workers.load(server.url, 0)
    workers.remove()
    await queue(app, writeRows, 100)
    worker.say('work')
    await worker.hears('working')
    await worker.kill()
    expect(await countRows(app, "fw_jobs where state = 'running'")).toBeGreaterThan(0)
    now = new Date(Date.now() + PAST_THE_LEASE_IN_MS)
    start(app, writeRows)
    await expect.poll(countDone, SOON).toBe(100)
    expect(await countRows(app, 'keyed_effects')).toBe(100)
    expect(await query(app, 'select count(distinct job) as jobs from effects')).toEqual([{ jobs: 100 }])
  })
})

describe('jobs during an outage of the libSQL server', () => {
  /** A job that runs until the test releases it. */
  function heldJob(name: string, retries = 0) {
    const begun: string[] = []
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const entry = jobOf(
      {
        retries,
        async run(_input, { id }) {
          begun.push(id)
          await promise
        },
      },
      name,
    )
    return { entry, begun, release }
  }
  let logged: number[]
  beforeEach(() => (logged = instances.map(({ lines }) => lines().length)))
  /** The number of lines that each instance has logged in this test, without retries of single jobs. */
  const awayLines = () =>
    instances.map(
      ({ lines }, at) =>
        lines()
          .slice(logged[at])
          .filter(({ message }) => message !== 'a job is tried again').length,
    )

  it('are neither lost nor run twice, and each instance logs the outage once and continues', async () => {
    const apps = bothApps()
    const endsMeanwhile = heldJob('ends-meanwhile')
    const endsLater = heldJob('ends-later')
    const held = [endsMeanwhile, endsLater]
    for (const { entry } of held) await queue(apps[0], entry, 10)
    await queue(apps[0], writeRows, 100)
    for (const app of apps) start(app, endsMeanwhile.entry, endsLater.entry, writeRows)
    await expect.poll(() => held.map(({ begun }) => begun.length), SOON).toEqual([10, 10])

    await server.restart(async () => {
      endsMeanwhile.release()
      await expect.poll(awayLines, SOON).toEqual([1, 1])
      now = new Date(now.getTime() + PAST_THE_LEASE_IN_MS)
      await sleep(2000)
    })
    await expect
      .poll(() => countRows(apps[0], "fw_jobs where state = 'done' and name = 'ends-meanwhile'"), SOON)
      .toBe(10)
    endsLater.release()
    await expect.poll(() => countRows(apps[0], "fw_jobs where state = 'done' and name = 'ends-later'"), SOON).toBe(10)
    // Jobs that could not write their rows are retried later.
    now = new Date(now.getTime() + PAST_THE_LEASE_IN_MS)
    await expect.poll(countDone, SOON).toBe(120)
    expect(held.map(({ begun }) => begun.length)).toEqual([10, 10])
    expect(await query(apps[0], 'select count(distinct job) as jobs from effects')).toEqual([{ jobs: 100 }])
    expect(awayLines()).toEqual([1, 1])
  })

  it('stay with an instance that reconnects a moment later than another one', async () => {
    const link = await startLink(server.url)
    const late = await createTestApp({ DATABASE_URL: link.origin })
    const [early] = bothApps()
    const { entry: held, begun, release } = heldJob('held')
    const marker = jobOf({ run: () => {} }, 'marker')
    await queue(early, held, 3)
    const stop = startJobs({ ...late.app, now: early.now }, [held])
    await expect.poll(() => begun.length, SOON).toBe(3)
    start(early, held, marker)
    await server.restart(async () => {
      link.cut()
      now = new Date(now.getTime() + PAST_THE_LEASE_IN_MS)
      await expect.poll(() => awayLines()[0], SOON).toBe(1)
    })
    await queue(early, marker, 1)
    await expect.poll(countDone, SOON).toBe(1)
    link.mend()
    release()
    await expect.poll(countDone, SOON).toBe(4)
    expect(begun).toHaveLength(3)
    await stop()
    await late.close()
    await link.stop()
  })

  it('are completed later by another instance after one stops', async () => {
    const [one, other] = bothApps()
    const { entry, begun, release } = heldJob('held', 1)
    await queue(one, entry, 1)
    const stop = startJobs(one, [entry], { graceInMs: 50 })
    await expect.poll(() => begun.length, SOON).toBe(1)
    await server.restart(stop)
    expect(await query(other, 'select state from fw_jobs')).toEqual([{ state: 'running' }])
    now = new Date(now.getTime() + PAST_THE_LEASE_IN_MS)
    start(other, entry)
    await expect.poll(() => begun.length, SOON).toBe(2)
    release()
    await expect.poll(countDone, SOON).toBe(1)
  })

  it('run without losing an attempt when the response to their pickup is lost', async () => {
    let isLosing = true
    const between = await serve(async request => {
      const { method, url, headers } = request
      const body = method === 'POST' ? await request.text() : undefined
      const answer = await fetch(server.url + new URL(url).pathname, {
        method,
        headers: { 'content-type': headers.get('content-type') ?? '', 'accept-encoding': 'identity' },
        body,
      })
      if (!isLosing || !body?.includes('with picked')) return answer
      isLosing = false
      return new Response(null, { status: 502 })
    })
    const instance = await createTestApp({ DATABASE_URL: between.origin })
    const entry = jobOf({ retries: 0, run: () => {} })
    await queue(instance.app, entry, 3)
    start(instance.app, entry)
    await expect.poll(countDone, SOON).toBe(3)
    expect(isLosing).toBe(false)
    expect(await query(instance.app, 'select distinct attempts from fw_jobs')).toEqual([{ attempts: 1 }])
    await stops.pop()?.()
    await instance.close()
    await between.stop()
  })
})
