import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase, type OpenDatabaseOptions } from '#fairway/server/kernel/database/client'
import { migrate } from '#fairway/server/kernel/database/migrate'
import { toMigration } from '#fairway/server/kernel/database/migrations'
import { quietLog } from '../../../support/database'
import { startLink } from '../../../support/database-slow'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { refusalOf } from '../../../support/error-code'
import { serve } from '../../../support/web-server'

const rows = sqliteTable('rows', { id: integer('id').primaryKey(), text: text('text').notNull().unique() })
const children = sqliteTable('children', { id: integer('id').primaryKey(), parent: integer('parent').notNull() })

const FIRST = toMigration(
  '0000_first.sql',
  `CREATE TABLE rows (id integer primary key, text text not null unique);--> statement-breakpoint
CREATE TABLE children (id integer primary key, parent integer not null references rows(id) on delete cascade);`,
)
const REBUILD = toMigration(
  '0001_rebuild.sql',
  `CREATE TABLE new_rows (id integer primary key, text text not null unique);--> statement-breakpoint
INSERT INTO new_rows SELECT id, text FROM rows;--> statement-breakpoint
DROP TABLE rows;--> statement-breakpoint
ALTER TABLE new_rows RENAME TO rows;`,
)

let server: Sqld
let folder: string
let open: Database[]

const connect = async (options: Partial<OpenDatabaseOptions> = {}) => {
  const db = await openDatabase({ url: server.url, log: quietLog, ...options })
  open.push(db)
  return db
}

beforeAll(async () => {
  server = await startSqld()
  folder = await mkdtemp(join(tmpdir(), 'replica-'))
})

afterAll(async () => {
  await server.stop()
  // The client's sync may still write to the folder.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

beforeEach(async () => {
  open = []
  const db = await connect()
  await db.client.executeMultiple(
    'drop table if exists children; drop table if exists rows; drop table if exists fw_migrations',
  )
})

afterEach(() => Promise.all(open.map(db => db.close())))

describe('migrate', () => {
  it('applies each migration once when three clients start at once', async () => {
    const clients = await Promise.all([connect(), connect(), connect()])
    const results = await Promise.all(clients.map(client => migrate(client, [FIRST, REBUILD], quietLog)))
    expect(results.flatMap(({ applied }) => applied)).toEqual(['0000_first', '0001_rebuild'])
  })

  it('changes nothing and names the migration when one fails', async () => {
    const db = await connect()
    const broken = toMigration('0001_broken.sql', 'INSERT INTO missing VALUES (1);')
    await expect(migrate(db, [FIRST, broken], quietLog)).rejects.toThrow('migration 0001_broken failed')
    expect(
      (await db.client.execute("select name from sqlite_master where name in ('rows', 'fw_migrations')")).rows,
    ).toEqual([])
  })
})

describe('an embedded replica that is far behind', () => {
  it('reads its own writes at once, and reads access decisions from the server', async () => {
    const primary = await connect()
    await migrate(primary, [FIRST], quietLog)
    await primary.orm.insert(rows).values({ id: 1, text: 'a session' })
    const replica = await connect({ replicaPath: join(folder, 'behind.db'), replicaSyncInSeconds: 600 })
    await replica.orm.insert(rows).values({ id: 2, text: 'its own' })
    const copied = async () => (await replica.orm.select().from(rows)).map(({ text }) => text)
    expect(await copied()).toEqual(['a session', 'its own'])
    await primary.client.execute('delete from rows where id = 1')
    const live = replica.prepareRead<{ text: string }>('select text from rows where id = ?')
    expect(await live([1])).toEqual([])
    expect(await live([2])).toEqual([{ text: 'its own' }])
    // The copy is intentionally out of date: this is the subject of the test.
    expect(await copied()).toEqual(['a session', 'its own'])
  })

  it('remembers reads until its own next write, for at most one second', async () => {
    await migrate(await connect(), [FIRST], quietLog)
    const replica = await connect({ replicaPath: join(folder, 'remembers.db') })
    const asksAlways = await connect({ replicaPath: join(folder, 'asks.db'), remembers: false })
    let loads = 0
    const numberOf = async (db: Database) => (await db.memory<{ n: number }>('pages').get('key', load)).n
    const load = async () => ({ n: ++loads })
    const memory = replica.memory<{ n: number }>('pages')
    const next = async () => (await memory.get('key', load)).n
    expect([await next(), await next()]).toEqual([1, 1])
    await replica.orm.insert(rows).values({ id: 3, text: 'its own' })
    expect([await next(), await next()]).toEqual([2, 2])
    await expect.poll(next, { timeout: 3000 }).toBe(3)
    expect([await numberOf(asksAlways), await numberOf(asksAlways)]).toEqual([4, 5])
  })
})

it('requests uncompressed responses because sqld would compress even the smallest ones', async () => {
  const encodings = new Set<string>()
  const between = await serve(async request => {
    const encoding = request.headers.get('accept-encoding') ?? ''
    encodings.add(encoding)
    const { pathname } = new URL(request.url)
    const body = request.method === 'POST' ? await request.text() : undefined
    return fetch(server.url + pathname, {
      method: request.method,
      headers: { 'content-type': 'application/json', 'accept-encoding': encoding },
      body,
    })
  })
  const db = await connect({ url: between.origin })
  await db.client.execute('select 1')
  await db.client.batch(['select 1', 'select 2'], 'write')
  expect([...encodings]).toEqual(['identity'])
  await between.stop()
})

it('all waiting calls fail with unavailable when their web socket times out', async () => {
  const link = await startLink(server.url)
  const db = await connect({ url: link.origin.replace('http:', 'ws:'), limits: { callInMs: 500 } })
  link.delay(() => 400)
  const waiting = Array.from({ length: 12 }, (_, at) =>
    refusalOf(db.client.execute(at % 2 ? 'select 1' : 'create table if not exists rows (id integer)')),
  )
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['unavailable']))
  link.delay(() => 0)
  await expect.poll(() => refusalOf(db.client.execute('select 1'))).toBe('done')
  await db.close()
  await link.stop()
})

/** The connection types, which must behave the same. */
const ways: [string, () => Partial<OpenDatabaseOptions>][] = [
  ['http', () => ({})],
  ['a web socket', () => ({ url: server.url.replace('http:', 'ws:') })],
  ['an embedded replica', () => ({ replicaPath: join(folder, `${Math.random()}.db`) })],
]

describe.each(ways)('over %s', (_way, options) => {
  let db: Database

  beforeEach(async () => {
    db = await connect(options())
    await migrate(db, [FIRST], quietLog)
  })

  it('completes 50 transactions and other concurrent writes', async () => {
    const transactions = Array.from({ length: 50 }, (_, index) =>
      db.orm.transaction(async transaction => {
        await transaction.insert(rows).values({ text: `transaction ${index}` })
        await transaction.select().from(rows).where(eq(rows.text, 'none'))
      }),
    )
    const inserts = Array.from({ length: 20 }, (_, index) =>
      db.orm
        .insert(rows)
        .values({ text: `insert ${index}` })
        .execute(),
    )
    await Promise.all([...transactions, ...inserts])
    expect(await db.orm.select().from(rows)).toHaveLength(70)
  })

  it('rolls back failures and continues', async () => {
    await db.orm.insert(rows).values({ id: 1, text: 'taken' })
    const failing = db.orm.transaction(async transaction => {
      await transaction.insert(rows).values({ text: 'new' })
      await transaction.insert(rows).values({ text: 'taken' })
    })
    await expect(failing).rejects.toThrow('UNIQUE')
    const batch = db.orm.batch([
      db.orm.insert(rows).values({ text: 'new' }),
      db.orm.insert(rows).values({ text: 'taken' }),
    ])
    await expect(batch).rejects.toThrow('UNIQUE')
    await db.orm.insert(rows).values({ text: 'later' })
    expect(await db.orm.select({ text: rows.text }).from(rows)).toEqual([{ text: 'taken' }, { text: 'later' }])
  })

  it('keeps the rows that refer to a rebuilt table', async () => {
    await db.orm.insert(rows).values({ id: 1, text: 'parent' })
    await db.orm.insert(children).values({ id: 1, parent: 1 })
    await migrate(db, [FIRST, REBUILD], quietLog)
    expect(await db.orm.select().from(children)).toHaveLength(1)
    await expect(db.orm.insert(children).values({ id: 2, parent: 99 })).rejects.toThrow('FOREIGN KEY')
  })

  it('prepared reads return plain objects and include its own writes', async () => {
    const find = db.prepareRead<{ id: number; text: string }>('select id, text from rows where text = ?')
    await db.orm.insert(rows).values({ id: 5, text: 'own' })
    const found = await find(['own'])
    expect(found).toEqual([{ id: 5, text: 'own' }])
    expect(Object.getPrototypeOf(found[0])).toBe(Object.prototype)
  })

  it('soon sees the writes of another client', async () => {
    const find = db.prepareRead('select id from rows where text = ?')
    const other = await connect()
    await other.orm.insert(rows).values({ id: 9, text: 'other' })
    await expect.poll(() => find(['other']), { timeout: 3000, interval: 20 }).toEqual([{ id: 9 }])
  })
})

describe.each(ways.slice(0, 2))('a server that stops responding, over %s', (_way, options) => {
  it('returns unavailable after the limit and works again afterwards', async () => {
    const db = await connect({ ...options(), limits: { callInMs: 300 } })
    await migrate(db, [FIRST], quietLog)
    await server.freeze()
    try {
      await expect(db.orm.select().from(rows)).rejects.toMatchObject({ code: 'unavailable' })
      await expect(db.orm.insert(rows).values({ text: 'lost?' })).rejects.toMatchObject({ code: 'unavailable' })
      await expect(db.orm.transaction(transaction => transaction.select().from(rows))).rejects.toMatchObject({
        code: 'unavailable',
      })
      await expect(db.ping()).rejects.toMatchObject({ code: 'unavailable' })
    } finally {
      server.thaw()
    }
    await db.ping()
    await db.orm.transaction(transaction => transaction.insert(rows).values({ text: 'back' }))
    expect((await db.orm.select().from(rows)).map(row => row.text)).toContain('back')
  })
})

it('a transaction waits for the transaction of another client', async () => {
  const [holder, waiter] = await Promise.all([connect(), connect()])
  await migrate(holder, [FIRST], quietLog)
  const transaction = await holder.client.transaction('write')
  await transaction.execute("insert into rows (text) values ('held')")
  const waiting = waiter.orm.transaction(own => own.insert(rows).values({ text: 'waited' }))
  const reading = waiter.orm.select().from(rows)
  expect(await reading).toEqual([])
  await transaction.commit()
  await waiting
  expect(await waiter.orm.select({ text: rows.text }).from(rows)).toEqual([{ text: 'held' }, { text: 'waited' }])
})
