import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '#fairway/server/kernel/database/client'
import { openEmptyDatabase, quietLog } from '../../../support/database'
import { startSqld } from '../../../support/database-sqld'

const read = (db: Database) => async () => ({
  text: String((await db.readRows([{ sql: 'select text from rows', args: [] }]))[0]?.[0]?.[0]),
})

async function withRow(db: Database): Promise<Database> {
  await db.client.batch(['create table rows (text text)', "insert into rows values ('first')"], 'write')
  return db
}

async function open(url: string, options: { remembers?: boolean } = {}): Promise<Database> {
  const db = await openDatabase({ url, log: quietLog, ...options })
  onTestFinished(() => db.close())
  return db
}

async function emptyFile(): Promise<Database & { url: string }> {
  const db = await openEmptyDatabase()
  onTestFinished(() => db.close())
  await withRow(db)
  return db
}

describe('db.memory for a database file', () => {
  it('returns kept values until this process or another connection writes', async () => {
    const db = await emptyFile()
    const other = await open(db.url)
    const memory = db.memory<{ text: string }>('rows')
    const first = await memory.get('a', read(db))
    expect(memory.peek('a')).toBe(first)
    expect(await memory.get('a', read(db))).toBe(first)

    await db.client.execute("update rows set text = 'ours'")
    expect(memory.peek('a')).toBeUndefined()
    expect(await memory.get('a', read(db))).toEqual({ text: 'ours' })

    await other.client.execute("update rows set text = 'theirs'")
    expect(memory.peek('a')).toBeUndefined()
    expect(await memory.get('a', read(db))).toEqual({ text: 'theirs' })
  })

  it('does not keep a value that was read before a write finished', async () => {
    const db = await emptyFile()
    const memory = db.memory<{ text: string }>('rows')
    const old = await memory.get('a', async () => {
      const found = await read(db)()
      await db.client.execute("update rows set text = 'later'")
      return found
    })
    expect(old).toEqual({ text: 'first' })
    expect(memory.peek('a')).toBeUndefined()
  })

  it('forgets its values after the connection was reopened, and keeps no failures', async () => {
    const db = await emptyFile()
    const memory = db.memory<{ text: string }>('rows')
    await memory.get('a', read(db))
    await expect(db.readRows([{ sql: 'select nothing from nowhere', args: [] }])).rejects.toThrow()
    expect(memory.peek('a')).toBeUndefined()
    await expect(memory.get('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await memory.get('b', read(db))).toEqual({ text: 'first' })
  })
})

describe('repeated reads of the query builder', () => {
  const slowRows = sqliteTable('slow', { id: integer().primaryKey(), text: text().notNull() })
  const all = (db: Database) => db.orm.select().from(slowRows).orderBy(slowRows.text).all()

  async function withSlowRows(): Promise<Database & { url: string }> {
    const db = await openEmptyDatabase()
    onTestFinished(() => db.close())
    await db.client.executeMultiple(
      `create table slow (id integer primary key, text text not null);
       with recursive n(id) as (select 1 union all select id + 1 from n where id < 300)
       insert into slow select id, 'row ' || id from n;`,
    )
    return db
  }

  /** The duration of ten reads, in milliseconds. */
  async function timeOf(read: () => Promise<unknown>): Promise<number> {
    const began = performance.now()
    for (let round = 0; round < 10; round++) await read()
    return performance.now() - began
  }

  it('return kept rows only until this process or another connection writes', async () => {
    const db = await withSlowRows()
    const other = await open(db.url)
    for (let round = 0; round < 5; round++) {
      expect(await all(db)).toHaveLength(300 - 2 * round)
      expect(await all(db)).toHaveLength(300 - 2 * round)
      await db.client.execute(`delete from slow where id = ${2 * round + 1}`)
      expect(await all(db)).toHaveLength(299 - 2 * round)
      await other.client.execute(`delete from slow where id = ${2 * round + 2}`)
      expect(await all(db)).toHaveLength(298 - 2 * round)
    }
  })

  it('return separate objects to each caller', async () => {
    const db = await withSlowRows()
    await all(db)
    const [first] = await all(db)
    first!.text = 'changed by its reader'
    expect((await all(db))[0]).toEqual({ id: 1, text: 'row 1' })
  })

  it('return the rows of the given values', async () => {
    const db = await withSlowRows()
    const some = (values: unknown[]) =>
      db.client.rows({ sql: 'select count(*), ? from slow, slow', args: values as [] })
    for (const value of ['1', 1, null, 'null', 0, '0', true]) {
      await some([value])
      const [row] = await some([value])
      expect(row).toEqual([90_000, value === true ? 1 : value])
    }
  })

  it('are not kept for random functions and for values that JSON cannot hold', async () => {
    const db = await withSlowRows()
    const chance = { sql: 'select sum(a.id), hex(randomblob(8)) from slow a, slow b', args: [] }
    await db.client.rows(chance)
    expect(await db.client.rows(chance)).not.toEqual(await db.client.rows(chance))
    const bytes = (value: number) => ({
      sql: 'select sum(a.id), hex(?) from slow a, slow b',
      args: [new Uint8Array([value])],
    })
    const first = await db.client.rows(bytes(1))
    expect(await db.client.rows(bytes(2))).not.toEqual(first)
  })

  it('take less than a fifth of the time of the first read', async () => {
    const db = await withSlowRows()
    const slow = { sql: 'select count(*) from slow a, slow b, slow c where c.id < 5', args: [] }
    const first = await timeOf(async () => {
      await db.client.rows(slow)
      await db.client.execute("update slow set text = 'x' where id = 1")
    })
    await db.client.rows(slow)
    expect(await timeOf(() => db.client.rows(slow))).toBeLessThan(first / 5)
  })
})

describe('db.memory for a libSQL server', () => {
  it('forgets its values after a write of this process, including transactions and failed writes', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url))
    const memory = db.memory<{ text: string }>('rows')
    await memory.get('a', read(db))
    expect(memory.peek('a')).toEqual({ text: 'first' })

    await db.client.execute("update rows set text = 'ours'")
    expect(memory.peek('a')).toBeUndefined()
    await memory.get('a', read(db))
    const transaction = await db.client.transaction('write')
    await transaction.execute("update rows set text = 'in a transaction'")
    await transaction.commit()
    expect(memory.peek('a')).toBeUndefined()
    await memory.get('a', read(db))
    await expect(db.client.execute('update nowhere set text = 1')).rejects.toThrow()
    expect(memory.peek('a')).toBeUndefined()
  })

  it('notices the writes of other clients within a second', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url))
    const other = await open(server.url)
    const memory = db.memory<{ text: string }>('rows')
    await memory.get('a', read(db))
    await other.client.execute("update rows set text = 'theirs'")
    await expect.poll(() => memory.get('a', read(db)), { timeout: 3000 }).toEqual({ text: 'theirs' })
  })
  it('keeps nothing when the writes of others must be visible at once', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url, { remembers: false }))
    const other = await open(server.url)
    const memory = db.memory<{ text: string }>('rows')
    await memory.get('a', read(db))
    await other.client.execute("update rows set text = 'theirs'")
    expect(await memory.get('a', read(db))).toEqual({ text: 'theirs' })
  })
})
