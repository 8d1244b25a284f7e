import { createClient } from '@libsql/client'
import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { preparedQuery } from '#fairway/server/kernel/database/orm'
import { useEmptyDatabase } from '../../../support/use-app'

const rows = sqliteTable('rows', {
  id: integer('id').primaryKey(),
  text: text('text'),
  isOpen: integer('is_open', { mode: 'boolean' }),
})

const CREATE = [
  'create table rows (id integer primary key, text text, is_open integer, size real, bytes blob)',
  "insert into rows values (1, 'one', 1, 1.5, x'00ff'), (2, null, 0, 9e15, null)",
]

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.batch(CREATE)
})

describe('a single select', () => {
  it.each([
    ['select * from rows order by id', []],
    ['select id, text as id, size from rows where id = ?', [1]],
    ['select count(*) from rows where text is ?', [null]],
    ['select id from rows where is_open = ?', [true]],
    ['select id from rows where id = :id', { id: 2 }],
    ['select id from rows where size < ?', [10n]],
  ])('returns the same result as the plain client: %s', async (text, args) => {
    const plain = createClient({ url: db.url })
    const [ours, theirs] = [await db.client.execute({ sql: text, args }), await plain.execute({ sql: text, args })]
    plain.close()
    expect(ours.toJSON()).toEqual(theirs.toJSON())
    expect(ours.rows.map(row => ({ ...row, at: Array.from(row), keys: Object.keys(row) }))).toEqual(
      theirs.rows.map(row => ({ ...row, at: Array.from(row), keys: Object.keys(row) })),
    )
    expect(ours.columns).toEqual(theirs.columns)
  })

  it('throws for an integer that a number cannot hold', async () => {
    await expect(db.client.execute('select 9007199254740993')).rejects.toThrow(RangeError)
  })

  it('includes columns that were added later', async () => {
    const all = () => db.client.execute('select * from rows where id = 1')
    expect((await all()).columns).toHaveLength(5)
    await db.client.execute("alter table rows add column colour text default 'red'")
    expect((await all()).rows[0]).toMatchObject({ id: 1, colour: 'red' })
  })

  it('does not wait for an open transaction', async () => {
    await db.orm.transaction(async transaction => {
      await transaction.run("insert into rows (text) values ('open')")
      expect((await db.client.execute('select id from rows')).rows).toHaveLength(2)
    })
    expect((await db.client.execute('select id from rows')).rows).toHaveLength(3)
  })

  it('in a batch reads one state and does not wait for an open transaction', async () => {
    await db.orm.transaction(async transaction => {
      await transaction.run("insert into rows (text) values ('open')")
      const results = await db.client.batch([
        'select count(*) as n from rows',
        ['select id from rows where id = ?', [2]],
      ])
      expect(results.map(({ rows: [row] }) => ({ ...row }))).toEqual([{ n: 2 }, { id: 2 }])
    })
  })

  it('continues after more different statements than the cache holds', async () => {
    for (let n = 0; n < 250; n++) expect((await db.client.execute(`select ${n} as n`)).rows[0]).toMatchObject({ n })
    expect((await db.client.execute('select 0 as n')).rows[0]).toMatchObject({ n: 0 })
  })
})

describe('a write', () => {
  it.each([
    ['insert into rows (text) values (?)', ['three']],
    ['insert into rows (id, is_open, size, bytes) values (?, ?, ?, ?)', [9n, true, 0.5, new Uint8Array([1, 2]).buffer]],
    ['insert into rows (size) values (?) returning id, size', [new Date(7)]],
    ['update rows set text = :text where id < $most', { text: 'both', $most: 9 }],
    ['delete from rows where id = ?', [1]],
    ['create table others (id integer)', []],
  ])('returns the same result as the plain client and stores the same rows: %s', async (text, args) => {
    const plain = createClient({ url: ':memory:' })
    await plain.batch(CREATE)
    const [ours, theirs] = [await db.client.execute({ sql: text, args }), await plain.execute({ sql: text, args })]
    expect(ours.toJSON()).toEqual(theirs.toJSON())
    const all = 'select *, typeof(id), typeof(size) from rows'
    expect((await db.client.execute(all)).toJSON()).toEqual((await plain.execute(all)).toJSON())
    plain.close()
  })

  it.each([undefined, Number.POSITIVE_INFINITY, 2n ** 63n])('refuses %s as a value', async value => {
    const args = [value] as number[]
    await expect(db.client.execute({ sql: 'insert into rows (size) values (?)', args })).rejects.toThrow()
    expect((await db.client.execute('select id from rows')).rows).toHaveLength(2)
  })

  it('leaves no transaction open', async () => {
    await db.client.execute('begin')
    await db.client.execute("insert into rows (text) values ('kept')")
    const other = createClient({ url: db.url })
    expect((await other.execute('select id from rows')).rows).toHaveLength(3)
    other.close()
  })
})

describe('preparedQuery', () => {
  it('builds the query once and uses the values of each call', async () => {
    let built = 0
    const find = preparedQuery(orm => {
      built += 1
      return orm
        .select()
        .from(rows)
        .where(eq(rows.isOpen, sql.placeholder('isOpen')))
        .prepare()
    })
    expect(await find(db.orm).all({ isOpen: true })).toEqual([{ id: 1, text: 'one', isOpen: true }])
    expect(await find(db.orm).all({ isOpen: false })).toEqual([{ id: 2, text: null, isOpen: false }])
    expect(built).toBe(1)
  })
})
