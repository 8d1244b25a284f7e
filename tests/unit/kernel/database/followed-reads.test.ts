import { createServer } from 'node:http'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#fairway/server/kernel/database/client'
import {
  areUnchanged,
  beginFollowing,
  endFollowing,
  followRequests,
  withFollowing,
} from '#fairway/server/kernel/database/followed-reads'
import { mayWrite } from '#fairway/server/kernel/database/sql-text'
import { createLog } from '#fairway/server/kernel/events/log'

const seats = sqliteTable('seats', { id: integer('id').primaryKey(), name: text('name').notNull() })

let db: Database
let other: Database
beforeAll(async () => {
  const url = `file:${join(await mkdtemp(join(tmpdir(), 'fw-followed-')), 'app.db')}`
  const log = createLog(
    () => {},
    'error',
    () => new Date(),
  )
  db = await openDatabase({ url, log })
  other = await openDatabase({ url, log })
  await db.client.executeMultiple(
    'create table seats (id integer primary key, name text not null); create table visits (n integer not null)',
  )
})
afterAll(() => Promise.all([db.close(), other.close()]))
beforeEach(async () => {
  await db.client.batch(['delete from seats', "insert into seats values (1, 'A'), (2, 'B')"], 'write')
})

/** What `work` reads while a page is rendered. */
const follow = (work: () => Promise<unknown>) =>
  withFollowing('/page', async () => {
    beginFollowing()
    await work()
    return endFollowing()
  })

const remembered = () => db.memory<unknown[]>('sessions')

describe('reads of a page', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['the query builder', () => db.orm.select().from(seats)],
    [
      'one row of the query builder',
      () =>
        db.orm
          .select()
          .from(seats)
          .where(sql`id = 1`)
          .get(),
    ],
    ['a batch of the query builder', () => db.orm.batch([db.orm.select().from(seats), db.orm.select().from(seats)])],
    [
      'a common table expression',
      () => {
        const named = db.orm.$with('named').as(db.orm.select().from(seats))
        return db.orm.with(named).select().from(named)
      },
    ],
    ['the client', () => db.client.execute('select name from seats')],
    ['a prepared read', () => db.prepareRead('select * from seats where id = ?')([1])],
    ['rows', () => db.readRows([{ sql: 'select * from seats', args: [] }])],
    ['a snapshot', async () => db.snapshot?.(rows => rows('select * from seats', []))],
    ['a memory', () => remembered().get('k', () => db.readRows([{ sql: 'select * from seats', args: [] }]))],
  ])('through %s are unchanged until another process changes their rows', async (_name, read) => {
    await read()
    const { reads, unfollowed } = await follow(read)
    expect(unfollowed).toBeUndefined()
    expect(await areUnchanged(reads)).toBe(true)
    await other.client.execute('insert into visits values (1)')
    expect(await areUnchanged(reads)).toBe(true)
    await other.client.execute("update seats set name = 'Z' where id = 1")
    expect(await areUnchanged(reads)).toBe(false)
  })

  it('of two requests at once are apart', async () => {
    const [one, two, none] = await Promise.all([
      follow(() => db.orm.select().from(seats)),
      follow(() => db.client.execute('select count(*) from visits')),
      follow(async () => 1),
    ])
    await other.client.execute('delete from seats')
    expect(await Promise.all([one, two, none].map(({ reads }) => areUnchanged(reads)))).toEqual([false, true, true])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a transaction', () => db.orm.transaction(tx => tx.select().from(seats))],
    ['a batch of reads and writes', () => db.client.batch(['insert into visits values (1)', 'select * from seats'])],
  ])('in %s cannot be followed', async (name, read) => {
    expect((await follow(read)).unfollowed).toBe(name)
  })

  it('of a request to this server belong to the page; one without any cannot be followed', async () => {
    const ask = (work: () => Promise<unknown>) => follow(() => withFollowing('/api/seats', work))
    const { reads, unfollowed } = await ask(() => db.orm.select().from(seats))
    expect([reads.length, unfollowed]).toEqual([1, undefined])
    expect((await ask(async () => 'kept elsewhere')).unfollowed).toBe('/api/seats')
    const both = await follow(() =>
      Promise.all([
        withFollowing('/api/seats', () => db.orm.select().from(seats)),
        withFollowing('/api/kept', async () => 'kept elsewhere'),
      ]),
    )
    expect([both.reads.length, both.unfollowed]).toEqual([1, '/api/kept'])
  })

  it('of another server cannot be followed, and are named', async () => {
    followRequests()
    const server = createServer((_req, res) => void res.end('hello')).listen(0)
    const { port } = server.address() as { port: number }
    try {
      expect((await follow(() => fetch(`http://localhost:${port}/x`))).unfollowed).toBe(`http://localhost:${port}`)
    } finally {
      server.close()
    }
  })
})

it.each([
  ['select 1', false],
  [' /* a */ -- b\n select 1', false],
  ['with a as (select 1) select * from a', false],
  [`with a as (select 'delete from b' as "update") select replace(x, 'a', 'b') from a`, false],
  ['values (1)', false],
  ['with a as (select 1) insert into b select * from a', true],
  ['with a as (select 1) insert or ignore into b select * from a', true],
  ['with a as (select 1) replace into b select * from a', true],
  ['with a as (select 1) delete from b', true],
  ['with a as (select 1)\nupdate b set c = 1', true],
  [`with a as (select 1) -- '\ndelete from b -- '`, true],
  [`with a as (select 1 as "--") delete from b`, true],
  ['insert into b values (1)', true],
  ['pragma user_version = 2', true],
  ['drop table b', true],
])('%j may write: %s', (statement, writes) => {
  expect(mayWrite(statement)).toBe(writes)
})
