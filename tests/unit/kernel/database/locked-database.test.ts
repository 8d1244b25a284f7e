import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmptyDatabase, type TestDatabase } from '../../../support/database'
import { type Program } from '../../../support/program'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

let db: TestDatabase
let other: Program | undefined

const open = async (busyInMs: number) => {
  db = await openEmptyDatabase({ limits: { busyInMs } })
  await db.client.execute('create table rows (id integer primary key, text text not null)')
}

/** Makes another process take the write lock and hold it. */
const lockFor = async (milliseconds: number) => {
  other = startProcess('hold-lock', db.url, String(milliseconds))
  await other.hears('ready')
  other.say('go')
  await other.hears('locked')
}

const insert = (text: string) => db.client.execute({ sql: 'insert into rows (text) values (?)', args: [text] })
const texts = async () => (await db.client.execute('select text from rows order by id')).rows.map(row => row.text)

afterEach(async () => {
  await other?.kill()
  other = undefined
  await db.close()
})

describe('a write lock held by another process for a second', WITH_PROCESSES, () => {
  beforeEach(async () => {
    await open(5000)
    await lockFor(1200)
  })

  it('delays statements, batches and transactions until its release, without blocking the event loop', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    // The monitor compares consecutive turns of the event loop, so it needs turns before and after.
    await sleep(20)
    const began = performance.now()
    await Promise.all([
      insert('statement'),
      db.client.batch(['select 1', "insert into rows (text) values ('batch')"]),
      db.orm.transaction(transaction => transaction.run("insert into rows (text) values ('transaction')")),
    ])
    await sleep(20)
    delay.disable()
    expect(performance.now() - began).toBeGreaterThan(400)
    expect(delay.max / 1e6).toBeLessThan(600)
    expect(await texts()).toEqual(['from the other process', 'statement', 'batch', 'transaction'])
  })

  it('does not delay reads', async () => {
    const writing = insert('waits')
    const began = performance.now()
    expect(await texts()).toEqual([])
    expect(await db.prepareRead('select text from rows')([])).toEqual([])
    expect(performance.now() - began).toBeLessThan(600)
    await writing
    expect(await texts()).toEqual(['from the other process', 'waits'])
  })

  it('commits the writes that waited', async () => {
    await insert('after the wait')
    await insert('and another')
    // If a connection that met SQLITE_BUSY were kept, it would acknowledge both rows, hold the lock, and lose the rows.
    const witness = startProcess('insert-row', db.url)
    await witness.hears('ready')
    witness.say('witness')
    await witness.hears('inserted witness')
    await witness.kill()
    expect(await texts()).toEqual(['from the other process', 'after the wait', 'and another', 'witness'])
  })
})

describe('a write lock held by another process for longer than the limit', WITH_PROCESSES, () => {
  beforeEach(async () => {
    await open(300)
    await lockFor(2000)
  })

  it('rejects writes with unavailable and accepts them after its release', async () => {
    const attempts = await Promise.allSettled([
      insert('statement'),
      db.client.batch(["insert into rows (text) values ('batch')"]),
      db.orm.transaction(transaction => transaction.run("insert into rows (text) values ('transaction')")),
    ])
    const unavailable = { code: 'unavailable', status: 503, headers: { 'Retry-After': '5' } }
    for (const attempt of attempts) expect(attempt).toMatchObject({ status: 'rejected', reason: unavailable })
    expect(await texts()).toEqual([])
    await other?.hears('released')
    await insert('later')
    await db.orm.transaction(transaction => transaction.run("insert into rows (text) values ('last')"))
    expect(await texts()).toEqual(['from the other process', 'later', 'last'])
  })
})
