import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#fairway/server/kernel/database/client'
import { noteOutside, rehearse, type RehearsedRow } from '#fairway/server/kernel/database/rehearsal'
import { openEmptyDatabase, quietLog } from '../../../support/database'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { refusalOf } from '../../../support/error-code'

const notes = sqliteTable('notes', { id: text('id').primaryKey(), title: text('title').notNull() })
const marks = sqliteTable('marks', { note: text('note').notNull(), at: integer('at') })

const TABLES = [
  'create table notes (id text primary key, title text not null unique)',
  'create table marks (note text not null references notes (id) on delete cascade, at integer)',
  "insert into notes values ('a', 'One'), ('b', 'Two')",
  "insert into marks values ('a', 1), ('a', 2)",
]

let server: Sqld
let db: Database

beforeAll(async () => {
  server = await startSqld()
})
afterAll(() => server.stop())
afterEach(() => db.close())

const seen = async (rows: RehearsedRow[]) => rows.map(({ table, id, kind }) => `${kind} ${table} ${id}`)
const changesOf = async (work: () => Promise<unknown>) => (await rehearse(db.client, work, seen)).seen
const stored = async () => {
  const { rows } = await db.client.execute(
    "select (select group_concat(id || title) from notes) || (select count(*) from marks) || (select count(*) from sqlite_schema where name like 'fw%') as all_",
  )
  return rows[0]?.all_
}

describe.each(['file', 'server'])('a rehearsal in a database on a %s', kind => {
  beforeEach(async () => {
    if (kind === 'file') db = await openEmptyDatabase()
    else {
      db = await openDatabase({ url: server.url, log: quietLog })
      await db.client.executeMultiple('drop table if exists marks; drop table if exists notes')
    }
    await db.client.batch(TABLES, 'write')
  })
  afterEach(async () => expect(await stored()).toBe('aOne,bTwo20'))

  it('names each written row once, and changes nothing', async () => {
    const work = async () => {
      await db.orm.insert(notes).values([
        { id: 'c', title: 'Three' },
        { id: 'd', title: 'Four' },
      ])
      await db.orm.update(notes).set({ title: 'Third' }).where(eq(notes.id, 'c'))
      await db.orm.update(notes).set({ title: 'Second' }).where(eq(notes.id, 'b'))
      await db.orm.delete(notes).where(eq(notes.id, 'd'))
    }
    expect(await changesOf(work)).toEqual(['created notes c', 'updated notes b'])
  })

  it('names the rows that a deletion takes with it', async () => {
    const work = () => db.client.execute("delete from notes where id = 'a'")
    expect((await changesOf(work)).toSorted()).toEqual(['deleted marks null', 'deleted marks null', 'deleted notes a'])
  })

  it('reads what it has written, in every way of reading', async () => {
    const count = db.prepareRead<{ n: number }>('select count(*) as n from notes')
    const memory = db.memory<{ n: number }>('access-rows')
    const remembered = () => memory.get('n', async () => (await count([]))[0] ?? { n: 0 })
    await remembered()
    const { result } = await rehearse(
      db.client,
      async () => {
        await db.orm.insert(notes).values({ id: 'c', title: 'Three' })
        return [
          (await count([]))[0]?.n,
          (await remembered()).n,
          await db.orm.$count(notes),
          (await db.readRows([{ sql: 'select count(*) from notes', args: [] }]))[0]?.[0]?.[0],
          (await db.ormApart.select({ n: sql<number>`count(*)` }).from(notes))[0]?.n,
          [db.snapshot, db.apart],
        ]
      },
      seen,
    )
    expect(result).toEqual([3, 3, 3, 3, 3, [undefined, undefined]])
    expect((await remembered()).n).toBe(2)
  })

  it('shows at its end the rows as they would be', async () => {
    const work = () => db.orm.update(notes).set({ title: 'First' }).where(eq(notes.id, 'a'))
    const look = () => db.orm.select().from(notes).where(eq(notes.id, 'a'))
    expect((await rehearse(db.client, work, look)).seen).toEqual([{ id: 'a', title: 'First' }])
  })

  it('follows transactions inside it, also those that are rolled back', async () => {
    const work = async () => {
      await db.orm.transaction(tx => tx.insert(notes).values({ id: 'c', title: 'Three' }))
      const failing = db.orm.transaction(async tx => {
        await tx.insert(notes).values({ id: 'd', title: 'Four' })
        throw new Error('not this one')
      })
      await expect(failing).rejects.toThrow('not this one')
      const batch = db.orm.batch([
        db.orm.insert(notes).values({ id: 'e', title: 'Five' }),
        db.orm.insert(notes).values({ id: 'f', title: 'One' }),
      ])
      await expect(batch).rejects.toThrow()
      const together = ['g', 'h'].map(id => db.orm.transaction(tx => tx.insert(notes).values({ id, title: id })))
      await Promise.all(together)
    }
    expect(await changesOf(work)).toEqual(['created notes c', 'created notes g', 'created notes h'])
  })

  it('ends after two seconds, and what goes on afterwards writes nothing', async () => {
    let goOn = () => {}
    let late: Promise<unknown> | undefined
    const work = async () => {
      await new Promise<void>(resolve => (goOn = resolve))
      late = (async () => db.client.execute("insert into notes values ('c', 'Late')"))()
      await late
    }
    expect(await refusalOf(rehearse(db.client, work, seen))).toBe('timed-out')
    goOn()
    await new Promise(resolve => setImmediate(resolve))
    expect(await refusalOf(Promise.resolve(late))).toBe('timed-out')
  })

  it.each([
    ['code that reached outside', async () => noteOutside('https://api.example')],
    ['a change of the schema', () => db.client.executeMultiple('create table more (id)')],
    ['a rehearsal inside it', () => rehearse(db.client, async () => {}, seen)],
    ['a table that it fills', () => db.client.execute('create table more as select 1 as id')],
  ])('refuses %s', async (_what, work) => {
    expect(await refusalOf(rehearse(db.client, async () => work(), seen))).toBe('cannot-rehearse')
  })
})

it('leaves rows of others alone that are written at the same time', async () => {
  db = await openEmptyDatabase()
  await db.client.batch(TABLES, 'write')
  const other = db.orm.insert(marks).values({ note: 'b', at: 3 })
  const rehearsed = changesOf(async () => db.orm.insert(notes).values({ id: 'c', title: 'Three' }))
  const another = db.orm.insert(marks).values({ note: 'b', at: 4 })
  await Promise.all([other, another])
  expect(await rehearsed).toEqual(['created notes c'])
  expect(await db.orm.$count(marks)).toBe(4)
})
