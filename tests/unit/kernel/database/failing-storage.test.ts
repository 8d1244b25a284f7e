import { chmod, copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { createLog, type Log } from '#fairway/server/kernel/events/log'
import { openEmptyDatabase, type TestDatabase } from '../../../support/database'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

let db: TestDatabase
let lines: { message: string; fault?: string; cure?: string; after?: string }[]
let path: string

const log: Log = createLog(
  line => void lines.push(JSON.parse(line)),
  'warn',
  () => new Date(),
)
const insert = (text: string) => db.client.execute({ sql: 'insert into rows (text) values (?)', args: [text] })
const texts = async () => (await db.client.execute('select text from rows order by id')).rows.map(row => row.text)
const told = (message: string) => lines.filter(line => line.message === message)
const FAILS = 'the storage of the database fails'
const WORKS = 'the storage of the database works again'

beforeEach(async () => {
  lines = []
  db = await openEmptyDatabase({ log })
  path = join(db.folder, 'test.db')
  await db.client.execute('create table rows (id integer primary key, text text not null)')
  await insert('first')
})
afterEach(() => db.close())

describe('a database file that cannot grow', () => {
  it('refuses writes with storage-full, keeps reading, and accepts writes once it can grow again', async () => {
    const { rows } = await db.client.execute('select page_count from pragma_page_count')
    await db.client.execute(`pragma max_page_count = ${Number(rows[0]?.[0])}`)
    const large = 'x'.repeat(20_000)
    const full = { code: 'storage-full', status: 503, headers: { 'Retry-After': '5' } }
    await expect(insert(large)).rejects.toMatchObject(full)
    expect(db.storageFault()).toBe('full')
    expect(await texts()).toEqual(['first'])
    expect(told(FAILS)).toMatchObject([{ fault: 'full', cure: expect.stringContaining('free some space') }])
    // A connection that met the fault is not used again, and the limit applied only to that connection.
    await insert(large)
    await db.ping()
    expect(db.storageFault()).toBeUndefined()
    expect(told(WORKS)).toMatchObject([{ after: 'full' }])
  })

  it('logs repeated failures once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { rows } = await db.client.execute('select page_count from pragma_page_count')
      await db.client.execute(`pragma max_page_count = ${Number(rows[0]?.[0])}`)
      await expect(insert('x'.repeat(20_000))).rejects.toMatchObject({ code: 'storage-full' })
    }
    expect(told(FAILS)).toHaveLength(1)
  })
})

describe('a missing database file', () => {
  it('rejects reads and writes, creates no empty file, and continues when the file is back', async () => {
    await insert('second')
    for (const part of ['', '-wal', '-shm']) await rename(path + part, `${path}${part}.away`)
    await expect(insert('lost')).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    await expect(db.orm.transaction(open => open.run("insert into rows (text) values ('lost')"))).rejects.toMatchObject(
      {
        code: 'unavailable',
      },
    )
    await expect.poll(() => texts().catch(error => error.code)).toBe('unavailable')
    await expect(db.ping()).rejects.toMatchObject({ code: 'unavailable' })
    expect(db.storageFault()).toBe('missing')
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
    for (const part of ['', '-wal', '-shm']) await rename(`${path}${part}.away`, path + part)
    await insert('third')
    await db.ping()
    expect([await texts(), db.storageFault()]).toEqual([['first', 'second', 'third'], undefined])
  })

  it('ends an open transaction, and the next one uses the new file', async () => {
    const transaction = await db.client.transaction('write')
    await transaction.execute("insert into rows (text) values ('half')")
    await copyFile(path, `${path}.new`)
    for (const part of ['', '-wal', '-shm']) await rename(path + part, `${path}${part}.away`)
    await rename(`${path}.new`, path)
    await expect(transaction.execute("insert into rows (text) values ('other half')")).rejects.toMatchObject({
      code: 'unavailable',
    })
    await expect(transaction.commit()).rejects.toThrow()
    await expect(db.client.execute('select 1')).resolves.toBeDefined()
    await db.client.execute('create table if not exists rows (id integer primary key, text text not null)')
    await insert('later')
    expect(await texts()).not.toContain('half')
  })

  it('is detected when its whole folder is missing', async () => {
    const away = `${db.folder}.away`
    await rename(db.folder, away)
    await expect(insert('lost')).rejects.toMatchObject({ code: 'unavailable' })
    await rename(away, db.folder)
    await insert('later')
    expect(await texts()).toContain('later')
  })

  it('with a replacement sends writes there at once and reads within a moment', async () => {
    const other = await openDatabase({ url: `file:${join(db.folder, 'other.db')}`, log })
    await other.client.execute('create table rows (id integer primary key, text text not null)')
    await other.client.execute("insert into rows (text) values ('of the other file')")
    await other.client.execute('pragma wal_checkpoint(truncate)')
    await other.close()
    const memory = db.memory<{ found: unknown[] }>('sessions')
    const remembered = () => memory.get('texts', async () => ({ found: await texts() }))
    expect(await remembered()).toEqual({ found: ['first'] })
    for (const part of ['-wal', '-shm']) await rm(path + part)
    await rename(join(db.folder, 'other.db'), path)
    await insert('new')
    await expect.poll(texts).toEqual(['of the other file', 'new'])
    expect(await remembered()).toEqual({ found: ['of the other file', 'new'] })
    expect((await db.client.execute('pragma journal_mode')).rows[0]?.[0]).toBe('wal')
  })

  it('is not recreated at the start while its journal exists', async () => {
    const folder = join(db.folder, 'started')
    await mkdir(folder)
    await writeFile(join(folder, 'app.db-wal'), 'what was written last')
    await expect(openDatabase({ url: `file:${join(folder, 'app.db')}`, log })).rejects.toThrow(
      /is gone, but its journal .* is there\. Put the file back/,
    )
    expect((await readFile(join(folder, 'app.db-wal'))).toString()).toBe('what was written last')
  })
})

describe('a damaged database file', () => {
  /** Puts all rows into the database file and empties the journal, as after a quiet hour. */
  async function settle(): Promise<void> {
    for (let index = 0; index < 200; index += 1) await insert(`row ${index} ${'x'.repeat(200)}`)
    await db.client.execute('pragma wal_checkpoint(truncate)')
  }

  async function overwrite(from: number, bytes: Buffer): Promise<Buffer> {
    const file = await open(path, 'r+')
    const before = Buffer.alloc(bytes.length)
    await file.read(before, 0, bytes.length, from)
    await file.write(bytes, 0, bytes.length, from)
    await file.close()
    return before
  }

  it('rejects reads of a damaged page with storage-damaged and continues after its repair', async () => {
    await settle()
    const before = await overwrite(4096 * 2, Buffer.alloc(4096 * 4, 0x41))
    await expect(texts()).rejects.toMatchObject({ code: 'storage-damaged', status: 503 })
    expect(db.storageFault()).toBe('damaged')
    expect(told(FAILS)).toMatchObject([{ fault: 'damaged', cure: expect.stringContaining('fw restore') }])
    await overwrite(4096 * 2, before)
    expect(await texts()).toHaveLength(201)
  })

  it('prevents the start with a clear error when its header is damaged', async () => {
    await settle()
    const copy = join(db.folder, 'copy.db')
    await copyFile(path, copy)
    const file = await open(copy, 'r+')
    await file.write(Buffer.alloc(100, 0x41), 0, 100, 0)
    await file.close()
    await expect(openDatabase({ url: `file:${copy}`, log })).rejects.toThrow(
      /The database .*copy\.db cannot be opened; the file is damaged, or not a database: .*fw restore/,
    )
  })
})

describe('a read-only database file', WITH_PROCESSES, () => {
  // Root can write to every file, so a separate process drops root first.
  it('refuses writes with storage-read-only, keeps reading, and accepts writes once it is writable', async () => {
    await chmod(db.folder, 0o777)
    for (const part of ['', '-wal', '-shm']) await chmod(path + part, 0o666)
    await chmod(path, 0o444)
    const reader = startProcess('read-only', db.url)
    await reader.hears('write storage-read-only 503 read-only')
    await reader.hears('read first')
    await chmod(path, 0o666)
    reader.say('go')
    await reader.hears('write done undefined')
    await reader.done()
    expect(await texts()).toEqual(['first', 'later'])
  })
})
