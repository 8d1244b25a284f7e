import { createClient } from '@libsql/client'
import { and, count, eq, getTableColumns, max, sql, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import {
  alias,
  blob,
  customType,
  integer,
  numeric,
  real,
  sqliteTable,
  sqliteView,
  text,
  union,
} from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Orm } from '#fairway/server/kernel/database/orm'
import { openEmptyDatabase, type TestDatabase } from '../../../support/database'

const cents = customType<{ data: number | null; driverData: number }>({
  dataType: () => 'integer',
  fromDriver: value => (value === 0 ? null : value / 100),
  toDriver: value => (value ?? 0) * 100,
})

const people = sqliteTable('people', {
  // The second person's first column decodes to null, and so does an object that a join builds from it.
  balance: cents('balance'),
  id: integer('id').primaryKey(),
  name: text('name'),
  role: text('role', { enum: ['reader', 'writer'] }),
  settings: text('settings', { mode: 'json' }).$type<{ theme: string }>(),
  isOpen: integer('is_open', { mode: 'boolean' }),
  bornAt: integer('born_at', { mode: 'timestamp' }),
  seenAt: integer('seen_at', { mode: 'timestamp_ms' }),
  size: real('size'),
  total: numeric('total'),
  bytes: blob('bytes', { mode: 'buffer' }),
  big: blob('big', { mode: 'bigint' }),
  data: blob('data', { mode: 'json' }),
})

const books = sqliteTable('books', {
  id: integer('id').primaryKey(),
  owner: integer('owner'),
  title: text('title'),
  parent: integer('parent'),
})

const open = sqliteView('open_people').as(db => db.select({ id: people.id, name: people.name }).from(people))
const parents = alias(books, 'parents')
const owned = eq(books.owner, people.id)
const lower = sql<string>`lower(${people.name})`

/** Nested objects, which drizzle builds although its types do not declare them. */
const deeper = (fields: object): SQL => fields as never

/** A query builder: ours or drizzle's. */
type Db = Orm

const statements: Record<string, (db: Db) => { all(): Promise<unknown>; get(): Promise<unknown> }> = {
  'a table': db => db.select().from(people),
  'no row': db => db.select().from(people).where(eq(people.id, 99)),
  'some columns': db => db.select({ open: people.isOpen, at: people.seenAt }).from(people),
  expressions: db =>
    db
      .select({ lower, at: sql<Date>`${people.seenAt}`.mapWith(people.seenAt), n: sql<number>`1 + 1`.as('n') })
      .from(people),
  'expressions with a function': db =>
    db.select({ long: sql`${people.name}`.mapWith(name => `${name}!`) }).from(people),
  aggregates: db =>
    db.select({ n: count(), last: max(people.seenAt), over: sql<number>`count(*) over ()` }).from(people),
  'nested fields': db =>
    db
      .select({ who: { id: people.id, more: deeper({ name: people.name, lower }) }, n: sql`2`, at: people.bornAt })
      .from(people),
  'a table as a field': db => db.select({ person: people, lower }).from(people),
  'columns of a table': db => db.select({ ...getTableColumns(books), twice: sql<number>`${books.id} * 2` }).from(books),
  'an inner join': db => db.select().from(people).innerJoin(books, owned),
  'a left join': db => db.select().from(people).leftJoin(books, owned),
  'a right join': db => db.select().from(people).rightJoin(books, owned),
  'a full join': db => db.select().from(people).fullJoin(books, owned),
  'two joins': db => db.select().from(books).leftJoin(parents, eq(books.parent, parents.id)).leftJoin(people, owned),
  'a join with fields of its own': db =>
    db
      .select({ book: { title: books.title, owner: people.name }, person: { name: people.name, n: lower } })
      .from(books)
      .leftJoin(people, owned),
  'a join whose object has several tables': db =>
    db
      .select({ both: { name: people.name, title: books.title }, flat: books.id })
      .from(people)
      .leftJoin(books, owned),
  'a join whose object begins with the table that may be missing': db =>
    db
      .select({ both: { title: books.title, name: people.name } })
      .from(people)
      .leftJoin(books, owned),
  'a join whose object begins with an expression': db =>
    db
      .select({ book: { n: sql`null`, title: books.title, id: books.id } })
      .from(people)
      .leftJoin(books, owned),
  'a join deeper down': db =>
    db
      .select({ a: { book: deeper({ title: books.title }) }, b: { title: books.title } })
      .from(people)
      .leftJoin(books, owned),
  'a subquery': db => {
    const found = db
      .select({ id: people.id, lower: lower.as('lower'), at: people.seenAt })
      .from(people)
      .as('found')
    return db.select().from(found).leftJoin(books, eq(books.owner, found.id))
  },
  'a subquery as a field': db =>
    db
      .select({ id: people.id, n: sql<number>`(${db.select({ n: count() }).from(books).where(owned)})`.as('n') })
      .from(people),
  'a common table expression': db => {
    const some = db.$with('some').as(db.select({ id: people.id, open: people.isOpen }).from(people))
    return db.with(some).select().from(some)
  },
  'a view': db => db.select().from(open),
  'distinct values': db => db.selectDistinct({ role: people.role }).from(people),
  'a union': db =>
    union(
      db.select({ id: people.id, name: people.name }).from(people),
      db.select({ id: books.id, name: books.title }).from(books),
    ).orderBy(sql`1, 2`) as never,
  'names that objects have anyway': db => db.select({ constructor: people.id, valueOf: people.name }).from(people),
  'rows without fields': db => {
    const all: SQL = sql`select id, name, seen_at, id as name from people`
    return { all: () => db.all(all), get: () => db.get(all) }
  },
  'what is written': db =>
    db
      .update(people)
      .set({ isOpen: true })
      .where(eq(people.id, 1))
      .returning({ id: people.id, seen: { at: people.seenAt } }) as never,
}

let db: TestDatabase
let theirs: Db
let closeTheirs: () => void

beforeEach(async () => {
  db = await openEmptyDatabase()
  await db.client.batch([
    `create table people (balance integer, id integer primary key, name text, role text, settings text, is_open integer,
      born_at integer, seen_at integer, size real, total numeric, bytes blob, big blob, data blob)`,
    'create table books (id integer primary key, owner integer, title text, parent integer)',
    'create view open_people as select id, name from people',
    `insert into people values (150, 1, 'Ada', 'writer', '{"theme":"dark"}', 1, 100, 1700000000001, 0.1, 12.5, x'00ff', '12345678901234567890', '[1]'),
      (0, 2, null, null, null, 0, null, null, null, null, null, null, null), (null, 3, 'Éva', 'reader', 'null', null, 0, 0, 1e300, 7, x'', null, '{}')`,
    `insert into books values (1, 1, 'One', null), (2, 1, null, 1), (3, 2, 'Three', 2), (4, null, 'Four', 99)`,
  ])
  const client = createClient({ url: db.url })
  closeTheirs = () => client.close()
  theirs = drizzle(client) as unknown as Db
})

afterEach(async () => {
  closeTheirs()
  await db.close()
})

/** Also compares the order of the names, which `toStrictEqual` ignores. */
const inOrder = (value: unknown): unknown =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner))

describe('query builder results match drizzle', () => {
  it.each(Object.entries(statements))('for %s', async (_name, build) => {
    const [all, theirAll] = [await build(db.orm).all(), await build(theirs).all()]
    expect(all).toStrictEqual(theirAll)
    expect(inOrder(all)).toBe(inOrder(theirAll))
    expect(await build(db.orm).get()).toStrictEqual(await build(theirs).get())
    const inside = await db.orm.transaction(async transaction => build(transaction as unknown as Db).all())
    expect(inside).toStrictEqual(theirAll)
  })

  it('in a batch', async () => {
    const ask = (orm: Db) =>
      orm.batch([
        orm.select().from(people).leftJoin(books, owned),
        orm.select({ n: count() }).from(books),
        orm.insert(books).values({ id: 9 }).returning({ owner: books.owner, id: books.id }),
        orm.delete(books).where(eq(books.id, 9)),
      ])
    const [ours, drizzles] = [(await ask(db.orm)).slice(0, 3), (await ask(theirs)).slice(0, 3)]
    expect(ours).toStrictEqual(drizzles)
  })

  it('for a prepared statement with other values', async () => {
    const build = (orm: Db) =>
      orm
        .select()
        .from(people)
        .where(and(eq(people.id, sql.placeholder('id')), eq(people.isOpen, sql.placeholder('open'))))
        .limit(sql.placeholder('most'))
        .prepare()
    const [ours, drizzles] = [build(db.orm), build(theirs)]
    for (const values of [
      { id: 1, open: true, most: 1 },
      { id: 2, open: false, most: 1 },
      { id: 1, open: false, most: 9 },
    ])
      expect(await ours.all(values)).toStrictEqual(await drizzles.all(values))
    const refusal = await drizzles.all({ id: 1 }).catch((error: Error) => error.message)
    await expect(ours.all({ id: 1 })).rejects.toThrow(String(refusal))
  })
})

it('the query builder throws for an integer that a number cannot hold', async () => {
  await db.client.execute('insert into books (id, owner) values (5, 9007199254740993)')
  await expect(db.orm.select().from(books)).rejects.toThrow(RangeError)
})
