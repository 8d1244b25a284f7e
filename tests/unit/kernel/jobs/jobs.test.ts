import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { createApp, defineEventHandler, toNodeListener } from 'h3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { AppError, defineJob, type JobContext } from '#fw'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import {
  cancelJob,
  declareJobs,
  type JobEntry,
  purgeJobs,
  queueJob,
  retryFailed,
  retryJob,
  runDueJobs,
  startJobs,
} from '#fairway/server/kernel/jobs'
import { aroundRequests } from '#fairway/server/enter-request'
import { createTestApp, type TestApp } from '../../../support/app'
import { query } from '../../../support/query'
import { serveListener } from '../../../support/web-server'

let test: TestApp
let stops: (() => Promise<void>)[]
let now: Date

beforeEach(async () => {
  test = await createTestApp()
  stops = []
  now = new Date('2031-05-20T09:00:00Z')
})
afterEach(async () => {
  await Promise.all(stops.map(stop => stop()))
  await test.close()
})

/** The same application in another process. It shares only the database. */
const another = (app: App): App => ({ ...app, memo: createMemo(), now: () => new Date(now) })
const standing = (): App => another(test.app)

type Options = Omit<Parameters<typeof defineJob<z.ZodObject<{ n: z.ZodNumber }>>>[0], 'description' | 'input'>
const jobOf = (name: string, options: Options): JobEntry => ({
  name,
  job: defineJob({ description: 'A job.', input: z.object({ n: z.number().default(0) }), ...options } as never),
})
const add = (app: App, entry: JobEntry, n: number, queued = {}) => queueJob(app, app.db.orm, entry, { n }, queued)
const rows = (columns = 'state, attempts') => query(test.app, `select ${columns} from fw_jobs order by id`)
const start = (app: App, ...entries: JobEntry[]) => {
  declareJobs(app, entries)
  const stop = startJobs(app, entries)
  stops.push(stop)
  return stop
}

describe('the job queue', () => {
  it('runs due jobs with their input, lower priority first, and marks them as done', async () => {
    const ran: [number, number][] = []
    const entry = jobOf('note', { run: ({ n }, { attempt }) => void ran.push([n, attempt]) })
    const app = standing()
    await add(app, entry, 1)
    await add(app, entry, 2, { priority: -1 })
    await add(app, entry, 3, { at: new Date(now.getTime() + 60_000) })
    expect((await runDueJobs(app, [entry])).map(({ state }) => state)).toEqual(['done', 'done'])
    expect(ran).toEqual([
      [2, 1],
      [1, 1],
    ])
    now = new Date(now.getTime() + 60_000)
    await runDueJobs(app, [entry])
    expect(ran.at(-1)).toEqual([3, 1])
    expect(await rows('distinct state, attempts')).toEqual([{ state: 'done', attempts: 1 }])
  })

  it('discards a job when the transaction of its caller is rolled back', async () => {
    const entry = jobOf('note', { run: () => {} })
    const app = standing()
    const undone = app.db.orm.transaction(async on => {
      await queueJob(app, on, entry, { n: 1 })
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await rows()).toEqual([])
  })

  it('refuses an input that the job does not accept', async () => {
    const entry = jobOf('note', { run: () => {} })
    await expect(queueJob(standing(), test.app.db.orm, entry, { n: 'one' })).rejects.toThrow('number')
  })

  it('keeps one waiting or running job per key under concurrent calls, and accepts another after it ended', async () => {
    const entry = jobOf('report', { run: () => {} })
    const app = standing()
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => add(app, entry, n, { key: 'today' })))
    expect(new Set(ids).size).toBe(1)
    await runDueJobs(app, [entry])
    await add(app, entry, 11, { key: 'today' })
    expect((await rows()).map(({ state }) => state)).toEqual(['done', 'ready'])
  })

  it('retries after growing pauses, then keeps the failed job until it is retried manually', async () => {
    let isBroken = true
    const entry = jobOf('fragile', {
      retries: 2,
      run: () => {
        if (isBroken) throw new Error('The peer is away.')
      },
    })
    const app = standing()
    const id = await add(app, entry, 1)
    const waits: number[] = []
    for (let attempt = 1; attempt <= 3; attempt++) {
      await runDueJobs(app, [entry])
      const [row] = await rows('run_at as at')
      waits.push(Math.round((Number(row?.at) - now.getTime()) / 1000))
      now = new Date(now.getTime() + 60_000)
    }
    expect(waits[0]).toBeGreaterThanOrEqual(10)
    expect(waits[0]).toBeLessThanOrEqual(13)
    expect(waits[1]).toBeGreaterThanOrEqual(20)
    expect(await rows('state, attempts, error')).toEqual([{ state: 'failed', attempts: 3, error: 'The peer is away.' }])
    isBroken = false
    expect(await retryJob(app, id)).toBe(true)
    await runDueJobs(app, [entry])
    expect(await rows()).toEqual([{ state: 'done', attempts: 1 }])
    expect(await retryJob(app, id)).toBe(false)
  })

  it('retries any number of failed jobs, all or those of one name', async () => {
    const app = standing()
    const fail = () => {
      throw new AppError('not-found')
    }
    const entries = [jobOf('one', { run: fail }), jobOf('other', { run: fail })]
    for (let n = 0; n < 120; n++) await add(app, entries[n % 2]!, n)
    await runDueJobs(app, entries)
    expect(await retryFailed(app, 'one')).toBe(60)
    expect(await retryFailed(app)).toBe(60)
    expect(await rows('distinct state, attempts')).toEqual([{ state: 'ready', attempts: 0 }])
  })

  it.each([
    [new AppError('not-found'), 'failed'],
    [new AppError('conflict'), 'scheduled'],
    [new AppError('unavailable'), 'scheduled'],
  ])('retries a failed job only when another attempt can succeed: %s', async (error, state) => {
    const entry = jobOf('refused', {
      run: () => {
        throw error
      },
    })
    const app = standing()
    await add(app, entry, 1)
    expect(await runDueJobs(app, [entry])).toMatchObject([{ name: 'refused', state }])
  })

  it('aborts a job that takes too long and retries it', async () => {
    let reason: unknown
    const entry = jobOf('slow', {
      timeout: 1,
      run: (_input, { signal }) => new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason))),
    })
    const app = standing()
    await add(app, entry, 1)
    expect(await runDueJobs(app, [entry])).toMatchObject([{ state: 'scheduled' }])
    expect(reason).toMatchObject({ code: 'timed-out' })
  })

  it('cancels a waiting job', async () => {
    const entry = jobOf('note', { run: () => {} })
    const app = standing()
    const id = await add(app, entry, 1)
    expect(await cancelJob(app, id)).toBe(true)
    expect(await runDueJobs(app, [entry])).toEqual([])
    expect(await cancelJob(app, id)).toBe(false)
    expect((await rows())[0]).toMatchObject({ state: 'cancelled' })
  })

  it('deletes done jobs after a day and failed jobs after 30 days', async () => {
    const app = standing()
    const entry = jobOf('note', {
      retries: 0,
      run: ({ n }) => {
        if (n === 2) throw new Error('no')
      },
    })
    await add(app, entry, 1)
    await add(app, entry, 2)
    await runDueJobs(app, [entry])
    now = new Date(now.getTime() + 25 * 60 * 60 * 1000)
    await purgeJobs(app)
    expect((await rows()).map(({ state }) => state)).toEqual(['failed'])
    now = new Date(now.getTime() + 30 * 24 * 60 * 60 * 1000)
    await purgeJobs(app)
    expect(await rows()).toEqual([])
  })
})

describe('jobs on several processes', () => {
  it('run once each', async () => {
    const done = new Map<number, number>()
    const entry = jobOf('count', { run: ({ n }) => void done.set(n, (done.get(n) ?? 0) + 1) })
    const apps = [another(test.app), another(test.app), another(test.app)]
    for (let n = 0; n < 300; n++) await add(apps[0]!, entry, n)
    for (const app of apps) start(app, entry)
    await vi.waitFor(async () => expect((await rows()).every(({ state }) => state === 'done')).toBe(true), 15_000)
    expect([done.size, [...done.values()].every(times => times === 1)]).toEqual([300, true])
  })

  it('run up to the concurrency limit of each key', async () => {
    const active = new Map<number, number>()
    const most = new Map<number, number>()
    const entry = jobOf('import', {
      concurrency: { most: 2, per: ({ n }) => String(n) },
      async run({ n }) {
        active.set(n, (active.get(n) ?? 0) + 1)
        most.set(n, Math.max(most.get(n) ?? 0, active.get(n) ?? 0))
        await sleep(20)
        active.set(n, (active.get(n) ?? 0) - 1)
      },
    })
    const apps = [another(test.app), another(test.app)]
    for (let n = 0; n < 24; n++) await add(apps[0]!, entry, n % 3)
    for (const app of apps) start(app, entry)
    await vi.waitFor(async () => expect((await rows()).every(({ state }) => state === 'done')).toBe(true), 15_000)
    expect([...most.values()]).toEqual([2, 2, 2])
  })

  it('are taken over from a dead process, which can no longer write results', async () => {
    const app = standing()
    let begun = 0
    let release = () => {}
    const first = jobOf('long', { run: () => new Promise<void>(resolve => (begun++, (release = resolve))) })
    await add(app, first, 1)
    const hanging = runDueJobs(app, [first])
    await vi.waitFor(() => expect(begun).toBe(1))
    now = new Date(now.getTime() + 31_000)
    const second = jobOf('long', {
      run: () => {
        throw new Error('from the second')
      },
    })
    expect(await runDueJobs(another(test.app), [second])).toMatchObject([{ state: 'scheduled' }])
    release()
    await hanging
    expect(await rows('state, attempts, error')).toEqual([
      { state: 'scheduled', attempts: 2, error: 'from the second' },
    ])
  })

  it('fail after they have killed their process repeatedly', async () => {
    const app = standing()
    const ends: (() => void)[] = []
    const entry = jobOf('deadly', { retries: 1, run: () => new Promise<void>(resolve => void ends.push(resolve)) })
    await add(app, entry, 1)
    const hanging: Promise<unknown>[] = []
    for (let attempt = 1; attempt <= 2; attempt++) {
      hanging.push(runDueJobs(another(test.app), [entry]))
      await vi.waitFor(() => expect(ends).toHaveLength(attempt))
      now = new Date(now.getTime() + 31_000)
    }
    await runDueJobs(app, [])
    expect(await rows()).toEqual([{ state: 'failed', attempts: 2 }])
    expect(await query(app, "select subject from security_events where kind = 'job-failed'")).toEqual([
      { subject: 'deadly' },
    ])
    for (const end of ends) end()
    await Promise.all(hanging)
    expect(await rows()).toEqual([{ state: 'failed', attempts: 2 }])
  })
})

describe('startJobs', () => {
  it('starts a job soon after it is queued and stops cleanly', async () => {
    const began: number[] = []
    const entry = jobOf('soon', { run: () => void began.push(performance.now()) })
    const app = another(test.app)
    const stop = start(app, entry)
    const queued = performance.now()
    await add(app, entry, 1)
    await vi.waitFor(() => expect(began).toHaveLength(1), { interval: 5, timeout: 2000 })
    expect((began[0] ?? 0) - queued).toBeLessThan(700)
    await stop()
    await add(app, entry, 2)
    await sleep(50)
    expect(began).toHaveLength(1)
  })

  it('pauses after every 16 jobs while requests arrive', async () => {
    const began: number[] = []
    const entry = jobOf('short', { run: () => void began.push(performance.now()) })
    const app = another(test.app)
    for (let n = 0; n < 64; n++) await add(app, entry, n)
    const handler = aroundRequests(
      app,
      defineEventHandler(() => 'an answer'),
    )
    const server = await serveListener(toNodeListener(createApp().use(handler)))
    // The final request may still be open when the server stops.
    const ask = () => fetch(server.origin).catch(() => undefined)
    await ask()
    const requests = setInterval(ask, 100)
    start(app, entry)
    await vi.waitFor(() => expect(began).toHaveLength(64), 15_000)
    clearInterval(requests)
    await server.stop()
    // Four rounds of 16 jobs have three pauses of 50 ms. Each begins when jobs are taken, so the first is seen in part.
    expect((began.at(-1) ?? 0) - (began[0] ?? 0)).toBeGreaterThan(100)
  })

  it('reserves capacity beside jobs that wait for other servers, and for platform jobs beside author jobs', async () => {
    const ended = Promise.withResolvers<void>()
    const begun: string[] = []
    const slow = (name: string, options = {}) =>
      jobOf(name, { ...options, run: () => (begun.push(name), ended.promise) })
    const app = { ...another(test.app), now: () => new Date() }
    const entries = [slow('waits', { waits: true }), slow('fw-works')]
    for (let n = 0; n < 20; n++) for (const entry of entries) await add(app, entry, n)
    const count = (name: string) => begun.filter(each => each === name).length
    start(app, ...entries)
    await expect.poll(() => begun.length).toBe(32)
    await expect.poll(() => count('waits'), { timeout: 10_000 }).toBe(20)
    expect(count('fw-works')).toBe(16)
    ended.resolve()
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(40)
  })

  it('aborts a running job when it is cancelled', async () => {
    const entry = jobOf('long', {
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const app = another(test.app)
    start(app, entry)
    const id = await add(app, entry, 1)
    await vi.waitFor(async () => expect((await rows())[0]).toMatchObject({ state: 'running' }))
    await cancelJob(app, id)
    await vi.waitFor(async () => expect((await rows())[0]).toMatchObject({ state: 'cancelled' }))
  })

  it('returns unfinished jobs to the queue when it stops, without counting the attempt', async () => {
    const entry = jobOf('stubborn', { timeout: 2, run: () => new Promise(() => {}) })
    const app = another(test.app)
    const stop = startJobs(app, [entry], { graceInMs: 50 })
    await add(app, entry, 1)
    await vi.waitFor(async () => expect((await rows())[0]).toMatchObject({ state: 'running' }))
    await stop()
    expect(await rows()).toEqual([{ state: 'ready', attempts: 0 }])
  })

  it('stores the progress of a job', async () => {
    const entry = jobOf('steps', {
      run: (_input, { progress }: JobContext) => {
        for (let done = 1; done <= 10; done++) progress(done, 10)
      },
    })
    const app = standing()
    await add(app, entry, 1)
    await runDueJobs(app, [entry])
    expect(await rows('progress_done, progress_total')).toEqual([{ progress_done: 10, progress_total: 10 }])
  })
})

describe('a job schedule', () => {
  const at = (time: string) => (now = new Date(time))
  const ticks = async () =>
    (await query(test.app, `select tick from fw_jobs order by tick`)).map(({ tick }) =>
      new Date(Number(tick)).toISOString(),
    )

  it('queues each scheduled time once across several processes', async () => {
    const entry = jobOf('morning', { schedule: '0 7 * * *', run: () => {} })
    const apps = [another(test.app), another(test.app)]
    for (const app of apps) await runDueJobs(app, [entry])
    expect(await ticks()).toEqual([])
    at('2031-05-21T07:00:00Z')
    const ran = await Promise.all(apps.map(app => runDueJobs(app, [entry])))
    expect(ran.flat()).toHaveLength(1)
    at('2031-05-22T07:00:30Z')
    await runDueJobs(apps[1]!, [entry])
    expect(await ticks()).toEqual(['2031-05-21T07:00:00.000Z', '2031-05-22T07:00:00.000Z'])
  })

  it('runs once after a downtime, not once for each missed time', async () => {
    const entry = jobOf('hourly', { schedule: '0 * * * *', run: () => {} })
    await runDueJobs(another(test.app), [entry])
    at('2031-05-20T19:30:00Z')
    const app = another(test.app)
    expect(await runDueJobs(app, [entry])).toHaveLength(1)
    expect(await runDueJobs(app, [entry])).toHaveLength(0)
    expect(await ticks()).toEqual(['2031-05-20T10:00:00.000Z'])
  })

  it('skips a time while the previous run has not ended', async () => {
    const entry = jobOf('hourly', { schedule: '0 * * * *', run: () => {} })
    const app = another(test.app)
    await runDueJobs(app, [entry])
    await test.app.db.orm
      .run(sql`insert into fw_jobs (id, name, input, state, run_at, key, most_attempts, created_at, lease_until)
      values ('x', 'hourly', '{}', 'running', 0, 'schedule', 1, 0, ${new Date('2032-01-01').getTime()})`)
    at('2031-05-20T10:00:00Z')
    expect(await runDueJobs(app, [entry])).toEqual([])
    expect(await rows()).toHaveLength(1)
  })

  it('restarts when its declaration changes, and after the clock was ahead', async () => {
    await runDueJobs(another(test.app), [jobOf('report', { schedule: '0 7 * * *', run: () => {} })])
    const entry = jobOf('report', { schedule: '0 10 * * *', run: () => {} })
    at('2035-01-01T00:00:00Z')
    await runDueJobs(another(test.app), [entry])
    at('2031-05-20T09:30:00Z')
    await runDueJobs(another(test.app), [entry])
    at('2031-05-20T10:00:00Z')
    expect(await runDueJobs(another(test.app), [entry])).toHaveLength(1)
  })

  it.each([
    ['2031-03-29T12:00:00Z', '2031-03-30T01:00:00.000Z', 'in the hour that is left out, right after it'],
    ['2031-10-25T12:00:00Z', '2031-10-26T00:30:00.000Z', 'in the hour that comes twice, the first time'],
  ])('follows the clocks of its time zone: after %s at %s, %s', async (before, tick) => {
    const entry = jobOf('night', { schedule: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' }, run: () => {} })
    at(before)
    await runDueJobs(another(test.app), [entry])
    at(new Date(new Date(before).getTime() + 24 * 60 * 60 * 1000).toISOString())
    expect(await runDueJobs(another(test.app), [entry])).toHaveLength(1)
    expect(await ticks()).toEqual([tick])
  })

  it.each([
    ['every day', /pattern/i],
    ['0 0 31 2 *', /never comes/],
    [{ cron: '0 7 * * *', timeZone: 'Europe/Nowhere' }, /./],
  ])('is validated where it is declared: %j', (schedule, fault) => {
    expect(() => jobOf('wrong', { schedule, run: () => {} })).toThrow(fault)
  })
})
