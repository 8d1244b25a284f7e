import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadMigrations, toMigration, readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { migrate, migrateAll, allPending, pendingMigrations, readiness } from '#fairway/server/kernel/database/migrate'
import { createLog } from '#fairway/server/kernel/events/log'
import { createTestApp } from '../../../support/app'
import { platformMigrations, quietLog } from '../../../support/database'
import { useEmptyDatabase } from '../../../support/use-app'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

const FIRST = toMigration(
  '0000_first.sql',
  `CREATE TABLE people (id integer primary key, name text not null);
--> statement-breakpoint
CREATE TABLE notes (id integer primary key, owner integer not null references people(id) on delete cascade);`,
)
const SECOND = toMigration(
  '0001_second.sql',
  "INSERT INTO people VALUES (1, 'Ada');--> statement-breakpoint\nINSERT INTO notes VALUES (1, 1);",
)
// Rebuilds the table, as drizzle-kit does when a column changes.
const REBUILD = toMigration(
  '0002_rebuild.sql',
  `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE __new_people (id integer primary key, name text);--> statement-breakpoint
INSERT INTO __new_people SELECT id, name FROM people;--> statement-breakpoint
DROP TABLE people;--> statement-breakpoint
ALTER TABLE __new_people RENAME TO people;--> statement-breakpoint
PRAGMA foreign_keys=ON;`,
)

const db = useEmptyDatabase()

const tables = async () => {
  const { rows } = await db.client.execute("select name from sqlite_master where type = 'table' order by name")
  return rows.map(row => row.name)
}

describe('migrate', () => {
  it('applies missing migrations in the order of their names, each only once', async () => {
    expect(await migrate(db, [SECOND, FIRST], quietLog)).toEqual({ applied: ['0000_first', '0001_second'] })
    expect(await migrate(db, [FIRST, SECOND], quietLog)).toEqual({ applied: [] })
    expect(await migrate(db, [FIRST, SECOND, REBUILD], quietLog)).toEqual({ applied: ['0002_rebuild'] })
    const { rows } = await db.client.execute('select name, hash from fw_migrations order by name')
    expect(rows.map(row => [row.name, row.hash])).toEqual(
      [FIRST, SECOND, REBUILD].map(({ name, hash }) => [name, hash]),
    )
  })

  it('keeps the rows that refer to a rebuilt table', async () => {
    await migrate(db, [FIRST, SECOND], quietLog)
    await migrate(db, [FIRST, SECOND, REBUILD], quietLog)
    expect((await db.client.execute('select * from notes')).rows).toHaveLength(1)
    await expect(db.client.execute('insert into notes values (2, 99)')).rejects.toThrow('FOREIGN KEY')
  })

  it('refuses a migration that leaves a dangling reference', async () => {
    await migrate(db, [FIRST, SECOND], quietLog)
    const orphan = toMigration('0002_orphan.sql', 'DELETE FROM people;')
    await expect(migrate(db, [FIRST, SECOND, orphan], quietLog)).rejects.toThrow(
      'the check of references after 0002_orphan',
    )
    expect((await db.client.execute('select * from people')).rows).toHaveLength(1)
  })

  it('changes nothing and names the migration when one fails', async () => {
    const broken = toMigration(
      '0001_broken.sql',
      'CREATE TABLE extra (id integer);--> statement-breakpoint\nINSERT INTO missing VALUES (1);',
    )
    await expect(migrate(db, [FIRST, broken], quietLog)).rejects.toThrow(/migration 0001_broken failed: .*missing/)
    expect(await tables()).toEqual([])
    expect(await migrate(db, [FIRST], quietLog)).toEqual({ applied: ['0000_first'] })
    await expect(db.client.execute('insert into notes values (2, 99)')).rejects.toThrow('FOREIGN KEY')
  })

  it('refuses to start after an applied migration was changed', async () => {
    await migrate(db, [FIRST, SECOND], quietLog)
    const changed = toMigration('0001_second.sql', `${SECOND.sql} `)
    await expect(migrate(db, [FIRST, changed, REBUILD], quietLog)).rejects.toThrow('changed afterwards: 0001_second')
    expect(await pendingMigrations(db, [FIRST, SECOND, REBUILD])).toEqual(['0002_rebuild'])
  })

  it('warns about migrations that this version does not know and continues', async () => {
    const lines: string[] = []
    const log = createLog(
      line => lines.push(line),
      'warn',
      () => new Date(),
    )
    await migrate(db, [FIRST, SECOND], quietLog)
    expect(await migrate(db, [FIRST], log)).toEqual({ applied: [] })
    expect(lines).toEqual([expect.stringContaining('0001_second')])
  })

  it.each([
    ['CREATE TABLE a (id integer); CREATE TABLE b (id integer);', 'CREATE TABLE a'],
    ["INSERT INTO people VALUES (1, ';') -- one;\n; -- two;\nDELETE FROM people", 'INSERT INTO people'],
    [
      'CREATE TRIGGER t AFTER INSERT ON people BEGIN DELETE FROM notes; END; CREATE TABLE b (id integer);',
      'CREATE TRIGGER t',
    ],
  ])('refuses two statements without a breakpoint: %s', async (sql, text) => {
    await expect(migrate(db, [FIRST, toMigration('0001_double.sql', sql)], quietLog)).rejects.toThrow(text)
    expect(await tables()).toEqual([])
  })

  it('accepts triggers, comments and quoted semicolons', async () => {
    const trigger = toMigration(
      '0001_trigger.sql',
      `-- keeps names tidy; always
CREATE TRIGGER tidy AFTER INSERT ON people BEGIN
  UPDATE people SET name = CASE WHEN name = ';' THEN 'semi;colon' ELSE trim(name) END WHERE id = new.id;
  INSERT INTO notes VALUES (new.id, new.id);
END; -- done;
--> statement-breakpoint
/* nothing; at all */
--> statement-breakpoint
INSERT INTO "people" VALUES (1, ';');`,
    )
    await migrate(db, [FIRST, trigger], quietLog)
    expect((await db.client.execute('select name from people')).rows[0]?.name).toBe('semi;colon')
    expect((await db.client.execute('select * from notes')).rows).toHaveLength(1)
  })
})

describe('migrateAll', () => {
  const OWN = toMigration(
    '0000_books.sql',
    'CREATE TABLE books (id integer primary key, reader integer references people(id) on delete cascade);',
  )
  const loudLog = () => {
    const lines: string[] = []
    const log = createLog(
      line => lines.push(line),
      'info',
      () => new Date(),
    )
    return {
      log,
      noted: () => lines.map(line => JSON.parse(line)).map(({ message, of, applied }) => [message, of, applied]),
    }
  }

  it('runs platform migrations before application migrations and logs the origin of each', async () => {
    const { log, noted } = loudLog()
    const first = { platform: [FIRST], application: [OWN] }
    expect(await migrateAll(db, first, log)).toEqual({ applied: ['0000_first', '0000_books'] })
    const shelf = toMigration('0001_shelf.sql', 'CREATE TABLE shelf (owner integer references homes(id));')
    const homes = toMigration('0001_second.sql', 'CREATE TABLE homes (id integer primary key);')
    const both = { platform: [FIRST, homes], application: [OWN, shelf] }
    expect(await allPending(db, both)).toEqual(['0001_second', '0001_shelf'])
    expect(await migrateAll(db, both, log)).toEqual({ applied: ['0001_second', '0001_shelf'] })
    expect(await allPending(db, both)).toEqual([])
    expect(noted()).toEqual([
      ['migrations applied', 'platform', ['0000_first']],
      ['migrations applied', 'application', ['0000_books']],
      ['migrations applied', 'platform', ['0001_second']],
      ['migrations applied', 'application', ['0001_shelf']],
    ])
  })

  it('keeps application rows that refer to a rebuilt platform table', async () => {
    await migrateAll(db, { platform: [FIRST, SECOND], application: [OWN] }, quietLog)
    await db.client.execute('insert into books values (7, 1)')
    await migrateAll(db, { platform: [FIRST, SECOND, REBUILD], application: [OWN] }, quietLog)
    expect((await db.client.execute('select id from books')).rows).toHaveLength(1)
    await db.client.execute('delete from people')
    expect((await db.client.execute('select id from books')).rows).toEqual([])
  })

  it('keeps applied platform migrations when an application migration fails, and explains how to fix its file', async () => {
    const bad = toMigration('0001_bad.sql', 'INSERT INTO missing VALUES (1);')
    const shipped = { platform: [FIRST, SECOND], application: [OWN, bad] }
    await expect(migrateAll(db, shipped, quietLog)).rejects.toThrow(
      /^migration 0001_bad failed: .*missing\nIt is the application's, drizzle\/0001_bad\.sql\. .* Correct that file and start again\./,
    )
    expect(await allPending(db, shipped)).toEqual(['0000_books', '0001_bad'])
    const good = toMigration('0001_bad.sql', "INSERT INTO people VALUES (2, 'Grace');")
    expect(await migrateAll(db, { ...shipped, application: [OWN, good] }, quietLog)).toEqual({
      applied: ['0000_books', '0001_bad'],
    })
  })

  it('names the platform when its migration fails, and applies no application migrations', async () => {
    const bad = toMigration('0001_bad.sql', 'INSERT INTO missing VALUES (1);')
    await expect(migrateAll(db, { platform: [FIRST, bad], application: [OWN] }, quietLog)).rejects.toThrow(
      /^migration 0001_bad failed: .*missing\nIt is the platform's; nothing of this version was applied/,
    )
    expect(await tables()).toEqual([])
  })

  it('names a table that has a name of the platform, and how to rename it', async () => {
    await db.client.execute('create table people (id integer primary key, name text)')
    await db.client.execute("insert into people values (1, 'Ada')")
    await expect(migrateAll(db, { platform: [FIRST], application: [] }, quietLog)).rejects.toThrow(
      /The database has people already, and this name is the platform's\. Nothing was changed\. .* ALTER TABLE `people` RENAME TO `app_people`/,
    )
    expect(await tables()).toEqual(['people'])
  })

  it('does not repeat what drizzle’s own migrator has applied', async () => {
    await db.client.execute('create table people (id integer primary key, name text not null)')
    await db.client.execute('create table books (id integer primary key, reader integer)')
    await db.client.execute('insert into books values (7, null)')
    await db.client.execute('create table __drizzle_migrations (id integer primary key, hash text, created_at numeric)')
    const hash = createHash('sha256').update(OWN.sql).digest('hex')
    await db.client.execute({ sql: 'insert into __drizzle_migrations values (1, ?, 0)', args: [hash] })
    const more = toMigration('0001_shelf.sql', 'ALTER TABLE books ADD shelf text;')
    const shipped = { platform: [], application: [OWN, more] }
    expect(await migrateAll(db, shipped, quietLog)).toEqual({ applied: ['0000_books', '0001_shelf'] })
    expect((await db.client.execute('select * from books')).rows).toMatchObject([{ id: 7, shelf: null }])
    expect(await allPending(db, shipped)).toEqual([])
  })

  it('says what to do where an application migration makes a table that is there', async () => {
    await db.client.execute('create table books (id integer primary key)')
    await expect(migrateAll(db, { platform: [FIRST], application: [OWN] }, quietLog)).rejects.toThrow(
      /The database has books already, and drizzle\/0000_books\.sql makes it again\./,
    )
  })

  it('refuses a pre-release database in a sentence and leaves it unchanged', async () => {
    await db.client.executeMultiple(`
      create table fw_migrations (name text primary key not null, hash text not null, applied_at integer not null);
      insert into fw_migrations values ('0000_foundation', 'x', 0), ('0001_organizations', 'y', 0);
      create table users (id text primary key not null);`)
    const before = await tables()
    const shipped = { platform: await platformMigrations(), application: [OWN] }
    await expect(migrateAll(db, shipped, quietLog)).rejects.toThrow('made by a pre-release of Fairway')
    await expect(allPending(db, shipped)).rejects.toThrow('made by a pre-release of Fairway')
    expect(await tables()).toEqual(before)
  })

  it('readiness checks the migrations of the platform and the application', async () => {
    const { app, close } = await createTestApp({ DATABASE_URL: db.url })
    const shipped = { platform: await platformMigrations(), application: [] }
    const all = { ...shipped, application: [OWN] }
    expect(await readiness(app, shipped, false)).toMatchObject({ status: 'ready', checks: { migrations: 'ok' } })
    expect(await readiness(app, all, false)).toMatchObject({ status: 'not-ready', checks: { migrations: 'pending' } })
    await app.db.client.execute('create table people (id integer primary key)')
    await migrateAll(app.db, all, quietLog)
    expect(await readiness(app, all, false)).toMatchObject({ status: 'ready', checks: { migrations: 'ok' } })
    await close()
  })
})

describe('pendingMigrations', () => {
  it('lists all migrations of a new database and none of a current one', async () => {
    expect(await pendingMigrations(db, [FIRST, SECOND])).toEqual(['0000_first', '0001_second'])
    await migrate(db, [FIRST], quietLog)
    expect(await pendingMigrations(db, [FIRST, SECOND])).toEqual(['0001_second'])
    await migrate(db, [FIRST, SECOND], quietLog)
    expect(await pendingMigrations(db, [FIRST, SECOND])).toEqual([])
  })
})

describe('a migration folder', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    for (const { name, sql } of [SECOND, FIRST]) await writeFile(join(folder, `${name}.sql`), sql)
    await writeFile(join(folder, 'readme.md'), 'not a migration')
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is read in order, from disk or from the build, with any line endings', async () => {
    expect(await readMigrationFolder(folder)).toEqual([FIRST, SECOND])
    const files = new Map([SECOND, FIRST].map(({ name, sql }) => [`${name}.sql`, sql.replaceAll('\n', '\r\n')]))
    const assets = {
      getKeys: async () => [...files.keys(), 'meta:_journal.json'],
      getItemRaw: async (key: string) => files.get(key),
    }
    expect(await loadMigrations(assets)).toEqual([FIRST, SECOND])
  })

  it('is applied once when eight processes start at once without a database file', WITH_PROCESSES, async () => {
    const url = `file:${join(folder, 'new', 'fresh.db')}`
    const processes = Array.from({ length: 8 }, () => startProcess('migrate-folder', url, folder))
    await Promise.all(processes.map(process => process.hears('ready')))
    for (const process of processes) process.say('go')
    await Promise.all(processes.map(process => process.done()))
    const applied = processes.map(({ told }) => told.filter(text => text !== 'ready').join())
    expect(applied.toSorted()).toEqual(
      [...Array.from({ length: 7 }, () => '[]'), '["0000_first","0001_second"]'].toSorted(),
    )
  })
})
