import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Link, startLink } from '../support/database-slow'
import { type Sqld, startSqld } from '../support/database-sqld'
import { codeOf } from '../support/error-code'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { type OwnServer, startServer } from '../support/server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const WRITERS = 8
const CUT_OFF_IN_MS = 10_000

let database: Sqld
let link: Link
let server: OwnServer
let browser: TestBrowser

afterEach(() => {
  link.delay(() => 0)
  link.mend()
})

const get = (path: string) => fetch(server.origin + path)
const createNote = (title: string) => browser.post('/_fw/actions/create-note', { json: { title } })
const statusOf = async (path: string) => (await get(path)).status
const isReady = () => statusOf('/_fw/health/ready')
/** Paths that need no database. */
const WITHOUT_DATABASE = ['/_fw/health/live', '/sign-in', '/']

interface Written {
  acknowledged: string[]
  refused: { status: number; code: string | undefined; retryAfter: string | null }[]
}

/** Runs several writers that create notes until `work` ends. */
async function underWrites(work: () => Promise<unknown>): Promise<Written> {
  const written: Written = { acknowledged: [], refused: [] }
  const over = new AbortController()
  const write = async (_: unknown, writer: number) => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      const title = `${writer}-${count}-${crypto.randomUUID()}`
      const answer = await createNote(title)
      // Enough writes to meet every moment of an outage, and not as many as the processor allows.
      await sleep(20)
      if (answer.ok) {
        written.acknowledged.push(title)
        await answer.arrayBuffer()
        continue
      }
      const retryAfter = answer.headers.get('retry-after')
      written.refused.push({ status: answer.status, code: await codeOf(answer), retryAfter })
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, write))
  await work()
  over.abort()
  await writers
  return written
}

async function titlesKept(): Promise<Set<string>> {
  const client = createClient({ url: database.url })
  const { rows } = await client.execute('select title from notes')
  client.close()
  expect(new Set(rows.map(({ title }) => title)).size).toBe(rows.length)
  return new Set(rows.map(({ title }) => String(title)))
}

/** Each acknowledged note exists once. Every other write was refused with the same error. */
async function expectNothingLost({ acknowledged, refused }: Written): Promise<void> {
  const kept = await titlesKept()
  expect(acknowledged.filter(title => !kept.has(title))).toEqual([])
  for (const refusal of refused) expect(refusal).toEqual({ status: 503, code: 'unavailable', retryAfter: '5' })
}

describe.each(['http:', 'ws:'])('libSQL server at %s', way => {
  beforeAll(async () => {
    database = await startSqld()
    link = await startLink(database.url)
    server = await startServer({ database: link.origin.replace('http:', way) })
    browser = createBrowser(server.origin)
    await signUp(browser, ada)
  })
  afterAll(async () => {
    await server.stop()
    await link.stop()
    await database.stop()
  })

  it('loses no acknowledged write when the database is killed and restarted', async () => {
    const written = await underWrites(async () => {
      for (let times = 0; times < 3; times += 1) {
        await sleep(500)
        await database.restart()
      }
      await expect.poll(isReady).toBe(200)
      await sleep(500)
    })
    expect(written.acknowledged.length).toBeGreaterThan(WRITERS)
    await expectNothingLost(written)
    expect((await createNote('after the restarts')).status).toBe(200)
  })

  it('answers every request with 200 ms of latency without delaying paths that need no database', async () => {
    link.delay(() => 200)
    let isWaiting = true
    const slow = Promise.all(Array.from({ length: 6 }, (_, at) => createNote(`slow ${at}`))).finally(() => {
      isWaiting = false
    })
    const others = await Promise.all(WITHOUT_DATABASE.flatMap(path => Array.from({ length: 20 }, () => statusOf(path))))
    expect([new Set(others), isWaiting]).toEqual([new Set([200]), true])
    expect((await slow).map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await isReady()).toBe(200)
  })

  it('returns 503 during ten seconds without a connection and recovers automatically', async () => {
    const written = await underWrites(async () => {
      await sleep(300)
      link.cut()
      const began = performance.now()
      await expect.poll(isReady).toBe(503)
      for (const path of WITHOUT_DATABASE) expect([path, await statusOf(path)]).toEqual([path, 200])
      // The instance remembers a session for at most a second.
      const sessionNow = async () => {
        const answer = await browser.get('/_fw/session')
        return [answer.status, await codeOf(answer)]
      }
      await expect.poll(sessionNow, { timeout: 3000 }).toEqual([503, 'unavailable'])
      await sleep(CUT_OFF_IN_MS - (performance.now() - began))
      link.mend()
      await expect.poll(isReady).toBe(200)
      await sleep(300)
    })
    expect(written.refused.length).toBeGreaterThan(0)
    await expectNothingLost(written)
    expect((await createNote('after the cut')).status).toBe(200)
    expect(server.isRunning()).toBe(true)
  })

  it('returns 503 when data sent to the database is lost', async () => {
    link.lose()
    const began = performance.now()
    const waiting = createNote('lost')
    for (const path of WITHOUT_DATABASE) expect([path, await statusOf(path)]).toEqual([path, 200])
    const answer = await waiting
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'unavailable'])
    // Each call has ten seconds. Writes of jobs may wait in between: before the note, and before its audit row.
    expect(performance.now() - began).toBeLessThan(60_000)
    link.mend()
    await expect.poll(isReady).toBe(200)
    expect((await createNote('found')).status).toBe(200)
  })
})
