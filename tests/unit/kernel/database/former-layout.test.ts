import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#fairway/server/kernel/database/client'
import { formerly, toMigration, readMigrationFolder, splitStatements } from '#fairway/server/kernel/database/migrations'
import { migrate, migrateAll, type Migration, allPending } from '#fairway/server/kernel/database/migrate'
import { createLog } from '#fairway/server/kernel/events/log'
import { migrationsUpTo, quietLog } from '../../../support/database'
import { startSlowLink } from '../../../support/database-slow'
import { startSqld } from '../../../support/database-sqld'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

const path = (relative: string) => fileURLToPath(new URL(`../../../../${relative}`, import.meta.url))
const PLATFORM = path('layers/fairway/drizzle')
const SAMPLE = path('drizzle')
/** A database that a server of that time made and people filled (`make.mjs` beside it says how). */
const FORMER = await readFile(path('tests/fixtures/former-layout/database.sql'), 'utf8')
/** The newest migration of that time. */
const NEWEST_THEN = '0017_application_state_by_organization'
const CHANGED = ['0000_foundation', '0001_organizations', '0008_collections']
const NOTED = new Map(
  [...FORMER.matchAll(/INSERT INTO "fw_migrations" VALUES\('(\w+)','([\w-]+)'/g)].map(([, name = '', hash]) => [
    name,
    hash,
  ]),
)
const BOOKS = toMigration(
  '0018_books.sql',
  `CREATE TABLE books (id text primary key, title text not null);--> statement-breakpoint
CREATE INDEX books_title ON books (title);`,
)

interface World {
  url: string
  db: Database
  /** Another connection to the same database; on a server every piece of data takes a moment. */
  connect(): Promise<Database>
  stop(): Promise<unknown>
}

async function aFile(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'former-'))
  const url = `file:${join(folder, 'fairway.db')}`
  return world(url, url, () => rm(folder, { recursive: true, force: true }))
}

async function aServer(): Promise<World> {
  const server = await startSqld()
  const link = await startSlowLink(server.url)
  return world(server.url, link.origin, async () => {
    await link.stop()
    await server.stop()
  })
}

async function world(url: string, slowUrl: string, end: () => Promise<unknown>): Promise<World> {
  const open: Database[] = []
  const connect = async (to = slowUrl) => {
    const db = await openDatabase({ url: to, log: quietLog })
    open.push(db)
    return db
  }
  const stop = async () => {
    await Promise.all(open.map(db => db.close()))
    await end()
  }
  return { url, db: await connect(url), connect: () => connect(), stop }
}

/** Everything that a database holds: what its tables are, and their rows. */
async function contentsOf(db: Database): Promise<Record<string, unknown>> {
  const { rows: objects } = await db.client.execute(
    "select type, name, sql from sqlite_master where name not like 'sqlite_%' and name not like 'libsql_%' order by name",
  )
  const contents: Record<string, unknown> = {}
  for (const { type, name, sql } of objects) {
    const rows = type === 'table' ? (await db.client.execute(`select * from "${String(name)}" order by 1, 2`)).rows : []
    contents[String(name)] = { sql, rows: rows.map(row => Object.values(row)) }
  }
  return contents
}

const fill = (db: Database, sql: string) => db.client.migrate(splitStatements(toMigration('former.sql', sql)))

const shipped = async (upTo?: string, more: Migration[] = []) => ({
  platform: await migrationsUpTo(upTo),
  application: [...(await readMigrationFolder(SAMPLE)), ...more],
})

/** What a migration of the platform was at that time. */
const then = (migration: Migration): Migration => formerly(migration) ?? migration

let here: World
afterEach(() => here.stop())

describe.each([
  ['a file', aFile],
  ['a libSQL server', aServer],
])('a database of the layout of before in %s', (_what, make) => {
  beforeEach(async () => {
    here = await make()
  })

  it('goes over with every row of every table, and a second start changes nothing', async () => {
    const { db } = here
    await fill(db, FORMER)
    const before = await contentsOf(db)
    const all = await shipped(NEWEST_THEN)
    expect(await allPending(db, all)).toEqual(['0000_notes'])
    expect(await migrateAll(db, all, quietLog)).toEqual({ applied: ['0000_notes'] })
    const { fw_application_migrations: journal, ...after } = await contentsOf(db)
    expect(after).toEqual({ ...before })
    expect(Object.keys(before).length).toBeGreaterThan(60)
    expect(journal).toMatchObject({ rows: [['0000_notes', expect.any(String), expect.any(Number)]] })
    expect(await migrateAll(db, all, quietLog)).toEqual({ applied: [] })
    expect(await contentsOf(db)).toEqual({ ...before, fw_application_migrations: journal })
    expect(await allPending(db, all)).toEqual([])
  })

  it('goes over to everything that is shipped today', async () => {
    await fill(here.db, FORMER)
    const all = await shipped()
    await migrateAll(here.db, all, quietLog)
    expect(await allPending(here.db, all)).toEqual([])
    expect((await here.db.client.execute('select title from notes order by title')).rows.map(row => row[0])).toEqual([
      'Note 1',
      'Note 2',
      'Note 3',
      'Note 4',
      'Of a member',
    ])
  })

  it('goes over once when eight start at once', WITH_PROCESSES, async () => {
    await fill(here.db, FORMER)
    const before = await contentsOf(here.db)
    const all = await shipped(NEWEST_THEN)
    const clients = await Promise.all(Array.from({ length: 8 }, here.connect))
    const results = await Promise.all(clients.map(client => migrateAll(client, all, quietLog)))
    expect(results.flatMap(({ applied }) => applied)).toEqual(['0000_notes'])
    const { fw_application_migrations: journal, ...after } = await contentsOf(here.db)
    expect(after).toEqual(before)
    expect(journal).toMatchObject({ rows: [['0000_notes', expect.any(String), expect.any(Number)]] })
  })

  it.each([['0000_foundation'], ['0007_embed'], ['0015_sign_in_rule']])('goes over from %s too', async last => {
    const { db } = here
    await migrate(db, (await migrationsUpTo(last)).map(then), quietLog)
    await db.client.execute(
      "insert into users (id, name, email, email_verified, created_at, updated_at) values ('u1', 'Ada', 'ada@example.test', 1, 1, 1)",
    )
    await db.client.execute(
      "insert into notes (id, owner_email, title, created_at, updated_at) values ('n1', 'ada@example.test', 'Old', 1, 1)",
    )
    const all = await shipped()
    const { applied } = await migrateAll(db, all, quietLog)
    expect(applied).toEqual([...all.platform.map(({ name }) => name).filter(name => name > last), '0000_notes'])
    expect(
      (await db.client.execute('select id, title, visibility from notes')).rows.map(row => Object.values(row)),
    ).toEqual([['n1', 'Old', 'private']])
    expect((await db.client.execute('select id, email from users')).rows.map(row => Object.values(row))).toEqual([
      ['u1', 'ada@example.test'],
    ])
    const { rows } = await db.client.execute(
      "select name from sqlite_master where tbl_name = 'notes' and type = 'index' and sql is not null order by 1",
    )
    expect(rows.map(row => row.name)).toEqual(['notes_org', 'notes_org_id', 'notes_owner'])
    expect(await allPending(db, all)).toEqual([])
  })

  it('keeps what an author had in the one journal, when the file is moved as it is', async () => {
    const { db } = here
    const lines: string[] = []
    const log = createLog(
      line => lines.push(line),
      'warn',
      () => new Date(),
    )
    await fill(db, FORMER)
    await migrate(db, [...(await migrationsUpTo(NEWEST_THEN)), BOOKS], quietLog)
    await db.client.execute("insert into books values ('b1', 'Emma')")
    const added = toMigration('0019_year.sql', 'ALTER TABLE books ADD year integer;')
    const all = await shipped(NEWEST_THEN, [BOOKS, added])
    expect(await allPending(db, all)).toEqual(['0000_notes', '0019_year'])
    expect(await migrateAll(db, all, log)).toEqual({ applied: ['0000_notes', '0019_year'] })
    expect(await allPending(db, all)).toEqual([])
    expect((await db.client.execute('select * from books')).rows.map(row => Object.values(row))).toEqual([
      ['b1', 'Emma', null],
    ])
    expect(await migrateAll(db, all, log)).toEqual({ applied: [] })
    expect(lines).toEqual([])
  })
})

describe('what is accepted of that time', () => {
  beforeEach(async () => {
    here = await aFile()
    await fill(here.db, FORMER)
  })

  it('is the text of three migrations, as that server noted it', async () => {
    const all = await migrationsUpTo(NEWEST_THEN)
    expect(all.filter(formerly).map(({ name }) => name)).toEqual(CHANGED)
    expect(all.map(({ name }) => name)).toEqual([...NOTED.keys()])
    for (const migration of all) expect(then(migration).hash, migration.name).toBe(NOTED.get(migration.name))
  })

  it.each([...CHANGED, '0002_sign_in', NEWEST_THEN])('is no other text of %s', async name => {
    await here.db.client.execute({
      sql: "update fw_migrations set hash = 'of another text' where name = ?",
      args: [name],
    })
    const before = await contentsOf(here.db)
    await expect(migrateAll(here.db, await shipped(), quietLog)).rejects.toThrow(
      `migrations of the platform were changed afterwards: ${name}`,
    )
    expect(await contentsOf(here.db)).toEqual(before)
  })

  it('is no former hash of another migration', async () => {
    await here.db.client.execute({
      sql: "update fw_migrations set hash = ? where name = '0002_sign_in'",
      args: [NOTED.get('0000_foundation') ?? ''],
    })
    await expect(migrateAll(here.db, await shipped(), quietLog)).rejects.toThrow('changed afterwards: 0002_sign_in')
  })

  it('is not a file of the author that was changed on the way: it says what to do', async () => {
    await migrate(here.db, [...(await migrationsUpTo(NEWEST_THEN)), BOOKS], quietLog)
    const changed = toMigration('0018_books.sql', BOOKS.sql.replace('title text not null', 'title text'))
    await expect(migrateAll(here.db, await shipped(NEWEST_THEN, [changed]), quietLog)).rejects.toThrow(
      'applied migrations of the application were changed afterwards: 0018_books; give drizzle/0018_books.sql back the text that has run here and put the change into a new migration',
    )
    expect((await here.db.client.execute('select * from books')).rows).toEqual([])
  })

  it('is not a file of the author that was written anew: it says where the old one belongs', async () => {
    await migrate(here.db, [...(await migrationsUpTo(NEWEST_THEN)), BOOKS], quietLog)
    await here.db.client.execute("insert into books values ('b1', 'Emma')")
    const anew = toMigration('0001_books.sql', BOOKS.sql)
    await expect(migrateAll(here.db, await shipped(NEWEST_THEN, [anew]), quietLog)).rejects.toThrow(
      /migration 0001_books failed: .*already exists[^]*the application's, drizzle\/0001_books\.sql[^]*put that file into drizzle\/ unchanged/,
    )
    expect((await here.db.client.execute('select id from books')).rows).toHaveLength(1)
  })
})

describe('a move that is interrupted', () => {
  beforeEach(async () => {
    here = await aFile()
  })

  it('between the two journals goes on where it was', async () => {
    await fill(here.db, FORMER)
    const before = await contentsOf(here.db)
    const all = await shipped(NEWEST_THEN)
    await migrateAll(here.db, { ...all, application: [] }, quietLog)
    expect(await allPending(here.db, all)).toEqual(['0000_notes'])
    expect(await migrateAll(here.db, all, quietLog)).toEqual({ applied: ['0000_notes'] })
    expect(await contentsOf(here.db)).toMatchObject(before)
  })

  it('by the end of its process, again and again, loses nothing', WITH_PROCESSES, async () => {
    await migrate(here.db, (await migrationsUpTo('0003_providers')).map(then), quietLog)
    await here.db.client.execute(
      "insert into notes (id, owner_email, title, created_at, updated_at) values ('n1', 'ada@example.test', 'Old', 1, 1)",
    )
    for (let round = 0; round < 6; round += 1) {
      const starting = startProcess('migrate-folder', here.url, PLATFORM, SAMPLE)
      await starting.hears('ready')
      starting.say('go')
      await new Promise(resolve => setTimeout(resolve, round * 12))
      await starting.kill()
    }
    const all = await shipped()
    await migrateAll(here.db, all, quietLog)
    expect(await allPending(here.db, all)).toEqual([])
    expect((await here.db.client.execute('select id from notes')).rows).toHaveLength(1)
    expect((await here.db.client.execute('pragma integrity_check')).rows.map(row => row[0])).toEqual(['ok'])
  })

  it('by seven others that do the same ends the same', WITH_PROCESSES, async () => {
    await fill(here.db, FORMER)
    const before = await contentsOf(here.db)
    const folder = await mkdtemp(join(tmpdir(), 'former-'))
    for (const { name, sql } of await migrationsUpTo(NEWEST_THEN)) await writeFile(join(folder, `${name}.sql`), sql)
    const processes = Array.from({ length: 8 }, () => startProcess('migrate-folder', here.url, folder, SAMPLE))
    await Promise.all(processes.map(process => process.hears('ready')))
    for (const process of processes) process.say('go')
    await Promise.all(processes.map(process => process.done()))
    const applied = processes.flatMap(({ told }) => told.filter(text => text !== 'ready'))
    expect(applied.toSorted()).toEqual(['["0000_notes"]', ...Array.from({ length: 7 }, () => '[]')])
    const { fw_application_migrations: journal, ...after } = await contentsOf(here.db)
    expect(after).toEqual(before)
    expect(journal).toMatchObject({ rows: [['0000_notes', expect.any(String), expect.any(Number)]] })
    await rm(folder, { recursive: true })
  })
})
