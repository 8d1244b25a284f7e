import { createClient } from '@libsql/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#fairway/server/kernel/database/client'
import { refusalOf } from '../../../support/error-code'
import { openEmptyDatabase, quietLog } from '../../../support/database'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

let db: Database & { url: string }
let server: Sqld
beforeAll(async () => {
  server = await startSqld()
})
afterAll(() => server.stop())

const openAtServer = (protocol: string) => async () =>
  Object.assign(await openDatabase({ url: server.url.replace('http:', protocol), log: quietLog }), { url: server.url })

async function begin(open: () => Promise<typeof db>): Promise<void> {
  db = await open()
  await db.client.migrate(['drop table if exists rows', 'drop table if exists log', 'drop table if exists more'])
  await db.client.batch([
    'create table rows (id integer primary key, text text not null, parent integer references rows (id) deferrable initially deferred)',
    'create table log (at integer)',
  ])
}

const insert = (id: number | null, text: string | null = 'text') => ({
  sql: 'insert into rows (id, text) values (?, ?)',
  args: [id, text],
})
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const ids = async (): Promise<number[]> =>
  (await db.client.execute('select id from rows order by id')).rows.map(row => Number(row.id))
/** The outcome of each request, in request order. */
const outcomes = async (work: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(work)).map(({ status }) => (status === 'fulfilled' ? 'ok' : 'failed'))
describe.each([
  ['a file', openEmptyDatabase],
  ['a libSQL server', openAtServer('http:')],
  ['a libSQL server through a web socket', openAtServer('ws:')],
])('concurrent writes to %s', (_, open) => {
  beforeEach(() => begin(open))
  afterEach(() => db.close())

  it('return their own results, in order', async () => {
    const results = await Promise.all([
      db.client.execute(insert(7)),
      db.client.execute('insert into rows (text) values (1), (2), (3)'),
      db.client.execute({ sql: "update rows set text = 'new' where id >= ? returning id, text", args: [8] }),
      db.client.execute('delete from rows where id = 8'),
      db.client.batch([
        'insert into log values (1)',
        'select count(*) as n from rows',
        'delete from rows where id > 100',
      ]),
    ])
    const [first, second, third, fourth, batch] = results
    expect([first.rowsAffected, first.lastInsertRowid]).toEqual([1, 7n])
    expect([second.rowsAffected, second.lastInsertRowid]).toEqual([3, 10n])
    expect(third.rows.map(row => ({ ...row }))).toEqual([8, 9, 10].map(id => ({ id, text: 'new' })))
    expect(fourth.rowsAffected).toBe(1)
    expect(batch.map(({ rowsAffected, rows }) => [rowsAffected, rows.map(row => row.n)])).toEqual([
      [1, []],
      [0, [3]],
      [0, []],
    ])
    expect(await ids()).toEqual([7, 9, 10])
  })

  it('share one commit', async () => {
    const watcher = createClient({ url: db.url })
    const seen = new Set<number>()
    await watcher.execute('select 1')
    const count = async () => Number((await watcher.execute('select count(*) as n from rows')).rows[0]?.n)
    await Promise.all(numbers(1, 32).map(async id => (await db.client.execute(insert(id)), seen.add(await count()))))
    watcher.close()
    expect([...seen]).toEqual([32])
  })

  it('fail independently', async () => {
    const asked = numbers(1, 32).map(id => db.client.execute(insert(id, id === 20 ? null : 'text')))
    expect(await outcomes(asked)).toEqual(numbers(1, 32).map(id => (id === 20 ? 'failed' : 'ok')))
    await expect(asked[19]).rejects.toThrow('NOT NULL constraint failed: rows.text')
    await expect(asked[19]).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) })
    expect(await ids()).toEqual(numbers(1, 32).filter(id => id !== 20))
  })

  it('apply all statements of a batch or none', async () => {
    const asked = [
      db.client.execute(insert(1)),
      db.client.batch([insert(2), insert(3), insert(1), insert(4)]),
      db.client.batch([insert(5), insert(6)]),
      db.client.execute(insert(5)),
      db.client.execute(insert(2)),
    ]
    expect(await outcomes(asked)).toEqual(['ok', 'failed', 'ok', 'failed', 'ok'])
    await expect(asked[1]).rejects.toMatchObject({
      statementIndex: 2,
      code: expect.stringMatching(/^SQLITE_CONSTRAINT/),
    })
    expect(await ids()).toEqual([1, 2, 5, 6])
  })

  it('are written one by one when one of them ends the transaction', async () => {
    const asked = [
      db.client.execute(insert(1)),
      db.client.execute({ sql: 'insert or rollback into rows (id, text) values (1, ?)', args: ['again'] }),
      db.client.batch([insert(2), insert(3)]),
      db.client.execute(insert(3)),
    ]
    expect(await outcomes(asked)).toEqual(['ok', 'failed', 'ok', 'failed'])
    expect(await ids()).toEqual([1, 2, 3])
  })

  it('are written one by one when one of them breaks a deferred constraint', async () => {
    const asked = [
      db.client.execute(insert(1)),
      db.client.execute("insert into rows (id, text, parent) values (2, 'orphan', 99)"),
      db.client.execute("insert into rows (id, text, parent) values (3, 'child', 1)"),
    ]
    expect(await outcomes(asked)).toEqual(['ok', 'failed', 'ok'])
    expect(await ids()).toEqual([1, 3])
  })

  it('leave no transaction open, whatever fails', async () => {
    const watcher = createClient({ url: db.url })
    const orphan = "insert into rows (id, text, parent) values (2, 'orphan', 99)"
    const failing = [
      () => db.client.batch([insert(1), insert(1)], 'write'),
      () => db.client.batch([insert(1), orphan], 'write'),
      () => db.client.execute({ sql: 'insert or rollback into rows (id, text) values (1, null)', args: [] }),
      () => db.client.batch([insert(1), 'insert or rollback into rows (id, text) values (1, null)'], 'write'),
    ]
    for (const [index, fails] of failing.entries()) {
      await expect(fails()).rejects.toThrow()
      await db.client.execute(insert(10 + index))
      expect((await watcher.execute('select max(id) as id from rows')).rows[0]?.id).toBe(10 + index)
    }
    watcher.close()
    expect(await ids()).toEqual([10, 11, 12, 13])
  })

  it('keep their order among statements that share no commit', async () => {
    const told: string[] = []
    const tell = (name: string) => () => void told.push(name)
    await Promise.all([
      db.client.execute(insert(1)).then(tell('first')),
      db.client.execute('create table more (id integer)').then(tell('table')),
      db.client.execute('insert into more values (1)').then(tell('into the table')),
      db.client.executeMultiple('insert into more values (2); insert into more values (3)').then(tell('several')),
      db.orm.transaction(async open => void (await open.run('insert into more values (4)'))).then(tell('transaction')),
      db.client.execute('delete from more').then(tell('delete')),
      db.client.execute('pragma user_version = 3').then(tell('pragma')),
      db.client.execute(insert(2)).then(tell('last')),
    ])
    expect(told).toEqual(['first', 'table', 'into the table', 'several', 'transaction', 'delete', 'pragma', 'last'])
    expect((await db.client.execute('select count(*) as n from more')).rows[0]?.n).toBe(0)
    expect((await db.client.execute('pragma user_version')).rows[0]?.[0]).toBe(3)
  })

  it('update remembered values', async () => {
    const memory = db.memory<{ n: number }>('sessions')
    const load = async () => ({ n: (await ids()).length })
    expect(await memory.get('n', load)).toEqual({ n: 0 })
    await Promise.all(
      numbers(1, 4).map(async id => {
        await db.client.execute(insert(id))
        expect(await memory.get('n', load)).toEqual({ n: 4 })
      }),
    )
  })

  it('complete when they exceed the size of one transaction', async () => {
    expect(await outcomes(numbers(1, 1000).map(id => db.client.execute(insert(id))))).toEqual(
      numbers(1, 1000).map(() => 'ok'),
    )
    expect(await ids()).toEqual(numbers(1, 1000))
  })

  it('finish before the database closes, and are refused afterwards', async () => {
    const asked = outcomes([...numbers(1, 8).map(id => db.client.execute(insert(id))), db.client.batch([insert(9)])])
    await db.close()
    expect(await asked).toEqual(numbers(1, 9).map(() => 'ok'))
    expect(await refusalOf(db.client.execute(insert(10)))).toBe('unavailable')
  })
})

describe('concurrent writes to a file', () => {
  beforeEach(() => begin(openEmptyDatabase))
  afterEach(() => db.close())

  it('become visible to readers only when they are confirmed', async () => {
    const writing = db.client.execute(insert(1))
    expect(await ids()).toEqual([])
    await writing
    expect(await ids()).toEqual([1])
  })
})

describe('concurrent writes while another process holds the lock', WITH_PROCESSES, () => {
  beforeEach(() => begin(openEmptyDatabase))
  afterEach(() => db.close())

  async function lockedFor(milliseconds: number, url: string) {
    const other = startProcess('hold-lock', url, String(milliseconds))
    await other.hears('ready')
    other.say('go')
    await other.hears('locked')
    return other
  }

  it('wait for the lock together', async () => {
    const other = await lockedFor(300, db.url)
    const asked = numbers(11, 18)
    expect(await outcomes(asked.map(id => db.client.execute(insert(id))))).toEqual(asked.map(() => 'ok'))
    expect((await ids()).filter(id => id > 10)).toEqual(asked)
    await other.kill()
  })

  it('fail with unavailable while the lock remains, and succeed after its release', async () => {
    const hasty = await openEmptyDatabase({ limits: { busyInMs: 150 } })
    await hasty.client.execute('create table rows (id integer primary key, text text not null)')
    const other = await lockedFor(60_000, hasty.url)
    const write = () => Promise.all(numbers(11, 14).map(id => refusalOf(hasty.client.execute(insert(id)))))
    expect(await write()).toEqual(numbers(1, 4).map(() => 'unavailable'))
    await other.kill()
    expect(await write()).toEqual(numbers(1, 4).map(() => 'done'))
    await hasty.close()
  })
})
