import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { createLog } from '#fairway/server/kernel/events/log'
import { quietLog } from '../../../support/database'
import { useEmptyDatabase } from '../../../support/use-app'

const rows = sqliteTable('rows', { id: integer('id').primaryKey(), text: text('text').notNull().unique() })
const CREATE = 'create table rows (id integer primary key, text text not null unique)'

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.execute(CREATE)
})

const count = async (): Promise<number> => (await db.orm.select().from(rows)).length

async function pragma(name: string): Promise<unknown> {
  const {
    rows: [row],
  } = await db.client.execute(`pragma ${name}`)
  return row?.[0]
}

describe('openDatabase with a file', () => {
  it('uses WAL mode, full sync and foreign keys', async () => {
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
  })

  it('creates its folder and file for the owner only', async () => {
    const path = join(db.folder, 'a folder', 'deep', 'some.db')
    const other = await openDatabase({ url: `file:${path.replaceAll(' ', '%20')}`, log: quietLog })
    await other.client.execute(CREATE)
    await other.close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(db.folder, 'a folder', 'deep'))).mode & 0o777).toBe(0o700)
  })

  it('responds to a ping until it is closed', async () => {
    const other = await openDatabase({ url: db.url, log: quietLog })
    await other.ping()
    await other.close()
    await expect(other.ping()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(other.client.execute(CREATE)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('finishes pending writes before it closes', async () => {
    const other = await openDatabase({ url: db.url, log: quietLog })
    const writes = Array.from({ length: 20 }, (_, id) => other.orm.insert(rows).values({ id, text: `row ${id}` }))
    const done = Promise.all(writes.map(write => write.execute()))
    await other.close()
    await done
    expect(await count()).toBe(20)
  })
})

describe('concurrent database calls', () => {
  it('complete 50 transactions and 150 other calls', async () => {
    const transactions = Array.from({ length: 50 }, (_, index) =>
      db.orm.transaction(async transaction => {
        await transaction.insert(rows).values({ text: `transaction ${index}` })
        await sleep(1)
        return transaction
          .select()
          .from(rows)
          .where(eq(rows.text, `transaction ${index}`))
      }),
    )
    const inserts = Array.from({ length: 50 }, (_, index) =>
      db.orm
        .insert(rows)
        .values({ text: `insert ${index}` })
        .execute(),
    )
    const batches = Array.from({ length: 50 }, (_, index) =>
      db.orm.batch([
        db.orm.insert(rows).values({ text: `batch ${index}` }),
        db.orm
          .update(rows)
          .set({ text: `updated ${index}` })
          .where(eq(rows.text, `batch ${index}`)),
      ]),
    )
    const reads = Array.from({ length: 50 }, () => db.orm.select().from(rows).execute())
    const found = await Promise.all(transactions)
    await Promise.all([...inserts, ...batches, ...reads])
    expect(found.map(list => list.length)).toEqual(Array.from({ length: 50 }, () => 1))
    expect(await count()).toBe(150)
  })

  it('apply a conditional update for only one of 50 callers', async () => {
    await db.orm.insert(rows).values({ id: 1, text: 'free' })
    const claims = Array.from({ length: 50 }, (_, index) =>
      db.orm
        .update(rows)
        .set({ text: `taken by ${index}` })
        .where(eq(rows.text, 'free'))
        .returning(),
    )
    expect((await Promise.all(claims)).filter(claim => claim.length > 0)).toHaveLength(1)
  })

  it('do not block the event loop during 6,000 writes', async () => {
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 1)
    await Promise.all(
      Array.from({ length: 6000 }, (_, id) =>
        db.orm
          .insert(rows)
          .values({ id, text: `row ${id}` })
          .execute(),
      ),
    )
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(3)
  })

  it('never show half of a transaction to a reader', async () => {
    const reads: Promise<number>[] = []
    await db.orm.transaction(async transaction => {
      await transaction.insert(rows).values({ text: 'first' })
      reads.push(count())
      await sleep(5)
      await transaction.insert(rows).values({ text: 'second' })
    })
    expect([0, 2]).toContain((await Promise.all(reads))[0])
  })
})

describe('a database error', () => {
  beforeEach(() => db.orm.insert(rows).values({ id: 1, text: 'taken' }))

  it('in a batch rolls it back and does not affect later calls', async () => {
    const failing = () =>
      db.orm.batch([db.orm.insert(rows).values({ text: 'new' }), db.orm.insert(rows).values({ text: 'taken' })])
    await expect(failing()).rejects.toMatchObject({ extendedCode: 'SQLITE_CONSTRAINT_UNIQUE' })
    expect(await count()).toBe(1)
    await db.orm.batch([db.orm.insert(rows).values({ text: 'second' }), db.orm.select().from(rows)])
    await db.orm.transaction(transaction => transaction.insert(rows).values({ text: 'third' }))
    expect(await count()).toBe(3)
  })

  it('in a transaction rolls it back and does not affect later calls', async () => {
    const failing = db.orm.transaction(async transaction => {
      await transaction.insert(rows).values({ text: 'new' })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await db.orm.insert(rows).values({ text: 'second' })
    expect(await count()).toBe(2)
  })

  it('in a nested transaction rolls back only that one', async () => {
    await db.orm.transaction(async transaction => {
      await transaction.insert(rows).values({ text: 'outer' })
      const inner = transaction.transaction(nested => nested.insert(rows).values({ text: 'taken' }))
      await expect(inner).rejects.toThrow('UNIQUE')
    })
    expect(await db.orm.select({ text: rows.text }).from(rows)).toEqual([{ text: 'taken' }, { text: 'outer' }])
  })

  it('contains no parameters', async () => {
    const failing = db.orm.insert(rows).values({ id: 1, text: 'a-secret-token' })
    const error: unknown = await failing.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect(JSON.stringify([String(error), error instanceof Error && error.stack, error])).not.toContain(
      'a-secret-token',
    )
  })

  it('in the syntax is passed on unchanged', async () => {
    await expect(db.orm.run(sql`selec 1`)).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
    expect(await count()).toBe(1)
  })
})

describe('an idle transaction', () => {
  it('is rolled back and logged, and other work continues', async () => {
    const lines: string[] = []
    const log = createLog(
      line => lines.push(line),
      'error',
      () => new Date(),
    )
    const other = await openDatabase({ url: db.url, log, limits: { idleInMs: 100 } })
    const stuck = other.orm.transaction(async transaction => {
      await transaction.insert(rows).values({ text: 'inside' })
      // The mistake: the outer handle waits for the end of a transaction that waits for it.
      await other.orm.insert(rows).values({ text: 'outside' })
      await transaction.insert(rows).values({ text: 'too late' })
    })
    await expect(stuck).rejects.toMatchObject({ code: 'TRANSACTION_CLOSED' })
    expect(await db.orm.select({ text: rows.text }).from(rows)).toEqual([{ text: 'outside' }])
    expect(lines.join()).toContain('lay idle')
    await other.close()
  })

  it('stays open while it runs statements', async () => {
    const other = await openDatabase({ url: db.url, log: quietLog, limits: { idleInMs: 500 } })
    await other.orm.transaction(async transaction => {
      for (let id = 1; id <= 6; id += 1) {
        await transaction.insert(rows).values({ id, text: `row ${id}` })
        await sleep(100)
      }
    })
    expect(await count()).toBe(6)
    await other.close()
  })
})

describe('an in-memory database', () => {
  it.each([':memory:', 'file::memory:'])('%s keeps its tables across transactions and prepared reads', async url => {
    const memory = await openDatabase({ url, log: quietLog })
    await memory.client.execute(CREATE)
    await memory.orm.transaction(transaction => transaction.insert(rows).values({ id: 7, text: 'kept' }))
    const find = memory.prepareRead<{ text: string }>('select text from rows where id = ?')
    expect(await find([7])).toEqual([{ text: 'kept' }])
    await memory.close()
  })
})
