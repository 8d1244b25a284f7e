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
    const memory = db.memory<{ text: string }>('sessions')
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
    const memory = db.memory<{ text: string }>('sessions')
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
    const memory = db.memory<{ text: string }>('sessions')
    await memory.get('a', read(db))
    await expect(db.readRows([{ sql: 'select nothing from nowhere', args: [] }])).rejects.toThrow()
    expect(memory.peek('a')).toBeUndefined()
    await expect(memory.get('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await memory.get('b', read(db))).toEqual({ text: 'first' })
  })
})

describe('db.memory for a libSQL server', () => {
  it('forgets its values after a write of this process, including transactions and failed writes', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url))
    const memory = db.memory<{ text: string }>('sessions')
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

  it('keeps values through its writes to tables that cannot change them', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url))
    await db.client.execute('create table other (text text unique)')
    const memory = db.memory<{ text: string }>('sessions', table => table === 'rows')
    const isKeptAfter = async (...statements: string[]) => {
      await memory.get('a', read(db))
      await (statements.length === 1 ? db.client.execute(statements[0] ?? '') : db.client.batch(statements, 'write'))
      return memory.peek('a') !== undefined
    }
    const forms = (table: string) => [
      `insert into ${table} values ('1')`,
      `INSERT OR IGNORE INTO "${table}" values ('1')`,
      `replace into \`${table}\` values ('1')`,
      `update or ignore [${table}] set text = '2'`,
      `\n  delete\n from "${table}" where text = '3'`,
    ]
    for (const form of forms('other')) expect(await isKeptAfter(form), form).toBe(true)
    for (const form of forms('rows')) expect(await isKeptAfter(form), form).toBe(false)
    expect(await isKeptAfter(`delete from other`, `delete from other`)).toBe(true)
    expect(await isKeptAfter(`delete from other`, `update rows set text = '4'`)).toBe(false)
    expect(await isKeptAfter(`with a as (select '5' as text) insert into other select text from a`)).toBe(false)
    const together = [db.client.execute('delete from other'), db.client.execute(`insert into rows values ('6')`)]
    await memory.get('a', read(db))
    await Promise.all(together)
    expect(memory.peek('a')).toBeUndefined()
  })

  it('notices the writes of other clients within a second', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url))
    const other = await open(server.url)
    const memory = db.memory<{ text: string }>('sessions')
    await memory.get('a', read(db))
    await other.client.execute("update rows set text = 'theirs'")
    await expect.poll(() => memory.get('a', read(db)), { timeout: 3000 }).toEqual({ text: 'theirs' })
  })
  it('keeps nothing when the writes of others must be visible at once', async () => {
    const server = await startSqld()
    onTestFinished(() => server.stop())
    const db = await withRow(await open(server.url, { remembers: false }))
    const other = await open(server.url)
    const memory = db.memory<{ text: string }>('sessions')
    await memory.get('a', read(db))
    await other.client.execute("update rows set text = 'theirs'")
    expect(await memory.get('a', read(db))).toEqual({ text: 'theirs' })
  })
})
