import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt, logger } from '@nuxt/kit'
import { describe, expect, it } from 'vitest'
import { checkTables, platformNames } from '#fairway/modules/tables/check-tables'
import { loadTables, unmigratedTables } from '#fairway/modules/tables'
import { readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { openEmptyDatabase, openTestDatabase, quietLog } from '../../support/database'
import { type Files, folderWith, writeFiles } from '../../support/files'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const HEAD = `import { index, integer, sqliteTable, sqliteView, text } from 'drizzle-orm/sqlite-core'\n`
const BOOKS = `${HEAD}export const books = sqliteTable('books', { id: text('id').primaryKey() })\n`

/** An application with these files. */
function project(files: Files): string {
  const rootDir = folderWith(files)
  symlinkSync(join(root, 'node_modules'), join(rootDir, 'node_modules'))
  return rootDir
}

const faultsOf = async (files: Files, rootDir = project(files)): Promise<string> =>
  checkTables(rootDir, await loadTables(rootDir)).then(
    () => '',
    (error: Error) => error.message,
  )

describe('checkTables rejects an application that', () => {
  it.each([
    ['has a table of the platform', `sqliteTable('users', { id: text('id') })`, 'the name `users` is the platform'],
    ['has it in capitals', `sqliteTable('Sessions', { id: text('id') })`, 'the name `Sessions` is the platform'],
    [
      'calls a table as an index of the platform',
      `sqliteTable('oauth_grants_client', { id: text('id') })`,
      'oauth_grants_client',
    ],
    [
      'calls an index as a table of the platform',
      `sqliteTable('books', { id: text('id') }, t => [index('users').on(t.id)])`,
      'the name `users` is the platform',
    ],
    ['has a view of the platform', `sqliteView('sessions', { id: text('id') }).existing()`, 'the name `sessions`'],
    ['has a reserved name', `sqliteTable('fw_books', { id: text('id') })`, 'begin with `fw_` are the platform'],
  ])('%s', async (_what, table, fault) => {
    const message = await faultsOf({ 'server/database/mine.ts': `${HEAD}export const mine = ${table}\n` })
    expect(message).toContain(`server/database/mine.ts: `)
    expect(message).toContain(fault)
    expect(message).toContain('call yours something else')
  })

  it.each([
    ['makes a table of the platform', 'CREATE TABLE `users` (id text);', 'users'],
    ['makes it where there is none', 'create table if not exists "sessions" (id text);', 'sessions'],
    [
      'changes one',
      'SELECT 1;--> statement-breakpoint\n/* so */ ALTER TABLE main.users ADD COLUMN age integer;',
      'users',
    ],
    ['drops one', 'DROP TABLE IF EXISTS [shares];', 'shares'],
    ['renames its own to one', 'ALTER TABLE `__new_users` RENAME TO `users`;', 'users'],
    ['makes an index with the name of one', 'CREATE UNIQUE INDEX shares ON books (id);', 'shares'],
    ['makes a view with the name of one', 'CREATE VIEW vault_credentials AS SELECT 1;', 'vault_credentials'],
    ['makes a table with a reserved name', 'CREATE TABLE fw_books (id text);', 'fw_books'],
  ])('has a migration that %s', async (_what, sql, name) => {
    const message = await faultsOf({ 'drizzle/0003_mine.sql': sql })
    expect(message).toContain('  - drizzle/0003_mine.sql: ')
    expect(message).toContain(`\`${name}\``)
    expect(message).toContain('npx drizzle-kit drop')
  })

  it('has a copy of a platform migration, and says once to delete the file', async () => {
    const sql = await readFile(join(root, 'layers/fairway/drizzle/0000_initial.sql'), 'utf8')
    expect(await faultsOf({ 'drizzle/0000_initial.sql': sql })).toBe(
      'These tables cannot be made:\n  - drizzle/0000_initial.sql: the platform brings this migration itself; delete the file',
    )
  })

  it('has two tables with the same name, and names both files', async () => {
    const files = {
      'server/database/books.ts': BOOKS,
      'server/database/more.ts': BOOKS.replace('const books', 'const more'),
    }
    expect(await faultsOf(files)).toContain(
      'server/database/books.ts and server/database/more.ts: the name `books` is used twice',
    )
  })

  it('has a file that does not load, with its reason and all other faults', async () => {
    const message = await faultsOf({
      'server/database/broken.ts': `import { nothing } from './not-there'\nexport const broken = nothing\n`,
      'server/database/mine.ts': `${HEAD}export const mine = sqliteTable('users', { id: text('id') })\n`,
    })
    expect(message).toMatch(/server\/database\/broken\.ts: does not load: .*not-there/)
    expect(message).toContain('the name `users`')
  })
})

describe('checkTables accepts an application that', () => {
  it.each<[string, Files]>([
    ['has no tables', {}],
    [
      'exports a table from two files',
      { 'server/database/books.ts': BOOKS, 'server/database/index.ts': `export { books } from './books'\n` },
    ],
    [
      'speaks of the platform in texts and comments',
      {
        'drizzle/0000_books.sql':
          "-- CREATE TABLE users (\nCREATE TABLE books (\n  text text DEFAULT 'DROP TABLE users', users text REFERENCES users(id)\n);--> statement-breakpoint\nINSERT INTO books VALUES ('ALTER TABLE users', null);",
      },
    ],
    [
      'has names that only resemble',
      {
        'drizzle/0000_own.sql':
          'CREATE TABLE my_users (id text);--> statement-breakpoint\nCREATE TABLE fweb (id text);',
      },
    ],
  ])('%s', async (_what, files) => {
    const rootDir = project(files)
    expect(await faultsOf(files, rootDir)).toBe('')
    await expect(checkTables(rootDir, await loadTables(rootDir, { again: true }))).resolves.toBeUndefined()
  })

  it('is the sample', async () => {
    expect(await faultsOf({}, root.replace(/\/$/, ''))).toBe('')
  })
})

describe('reserved table names', () => {
  it('include every name that the platform’s migrations create', async () => {
    const db = await openEmptyDatabase()
    const platform = await readMigrationFolder(join(root, 'layers/fairway/drizzle'))
    await migrateAll(db, { platform, application: [] }, quietLog)
    const { rows } = await db.client.execute(
      "select name from sqlite_master where type in ('table', 'index', 'view') and sql is not null and name <> 'fw_migrations'",
    )
    await db.close()
    expect(platformNames().toSorted()).toEqual(rows.map(row => String(row.name)).toSorted())
  })

  it('begin with fw_, except for the platform’s first tables and their indexes', async () => {
    const sql = await readFile(join(root, 'layers/fairway/drizzle/0000_initial.sql'), 'utf8')
    const first = new Set([...sql.matchAll(/^CREATE (?:TABLE|INDEX|UNIQUE INDEX) `(\w+)/gm)].map(([, name]) => name))
    expect(platformNames().filter(name => !first.has(name) && !name.startsWith('fw_'))).toEqual([])
    const tables = [...sql.matchAll(/^CREATE TABLE `(\w+)/gm)].map(([, name = '']) => name)
    expect(tables.filter(name => !name.startsWith('fw_'))).toHaveLength(32)
  })
})

describe('unmigratedTables', () => {
  const CONFIG = `export default { dialect: 'turso', schema: './server/database/*.ts', out: './drizzle' }\n`
  const USERS = `const users = sqliteTable('users', { id: text('id').primaryKey() })\n`
  const LOANS = `${HEAD}import { books } from './books'
import { ownableColumns } from 'nuxt-fairway/tables'
${USERS}export const loans = sqliteTable('loans', {
  id: text('id').primaryKey(),
  ...ownableColumns(),
  book: text('book').references(() => books.id),
  reader: text('reader').references(() => users.id, { onDelete: 'cascade' }),
}, t => [index('loans_reader').on(t.reader)])\n`
  const namesOf = async (rootDir: string, again = false) =>
    unmigratedTables(rootDir, (await loadTables(rootDir, { again })).files)
  const generate = (cwd: string) =>
    execFileSync(process.execPath, [join(root, 'node_modules/drizzle-kit/bin.cjs'), 'generate', '--name', 'own'], {
      cwd,
    })

  it('returns changed tables until drizzle-kit writes their migration, which then runs beside the platform’s', async () => {
    const rootDir = project({
      'drizzle.config.ts': CONFIG,
      'server/database/books.ts': BOOKS,
      'server/database/loans.ts': LOANS,
    })
    expect(await namesOf(rootDir)).toEqual(['books', 'loans'])
    generate(rootDir)
    expect(await namesOf(rootDir)).toEqual([])
    const file = 'server/database/books.ts'
    writeFiles(rootDir, { [file]: BOOKS.replace(' })', `, title: text('title').notNull().default('') })`) })
    expect(await namesOf(rootDir, true)).toEqual(['books'])
    generate(rootDir)
    expect(await namesOf(rootDir, true)).toEqual([])
    expect(await faultsOf({}, rootDir)).toBe('')

    const db = await openTestDatabase()
    const application = await readMigrationFolder(join(rootDir, 'drizzle'))
    expect(application).toHaveLength(2)
    await migrateAll(db, { platform: [], application }, quietLog)
    await db.client.execute(
      "insert into users (id, name, email, email_verified, created_at, updated_at) values ('u1', 'Ada', 'ada@example.test', 1, 1, 1)",
    )
    await db.client.execute("insert into loans (id, owner_email, reader) values ('l1', 'ada@example.test', 'u1')")
    await expect(
      db.client.execute("insert into loans (id, owner_email, reader) values ('l2', 'ada@example.test', 'nobody')"),
    ).rejects.toThrow('FOREIGN KEY')
    await db.client.execute("delete from users where id = 'u1'")
    expect((await db.client.execute('select * from loans')).rows).toEqual([])
    await db.close()
  })

  it('returns nothing when the author writes migrations by hand', async () => {
    const rootDir = project({
      'server/database/books.ts': BOOKS,
      'drizzle/0000_books.sql': 'CREATE TABLE books (id text);',
    })
    expect(await namesOf(rootDir)).toEqual([])
  })
})

describe('a table of the platform in a project', () => {
  const load = (files: Files, dev: boolean) => {
    const cwd = project({ 'app/app.vue': '<template><p>Hello</p></template>\n', ...files })
    const modules = [join(root, 'layers/fairway/modules/tables/index.ts')]
    return loadNuxt({ cwd, dev, overrides: { modules, telemetry: false, logLevel: 'silent' } })
  }
  const USERS = { 'server/database/mine.ts': BOOKS.replace("'books'", "'users'") }

  it('stops the build', async () => {
    const nuxt = await load(USERS, false)
    const building = await buildNuxt(nuxt).then(
      () => 'built',
      (error: Error) => error.message,
    )
    await nuxt.close()
    expect(building).toContain('server/database/mine.ts: the name `users` is the platform')
  })

  it('is reported while the development server runs, like a changed table without a migration', async () => {
    const told: string[] = []
    const { reporters } = logger.options
    logger.setReporters([{ log: ({ type, args }) => void told.push(`${type}: ${args.join(' ')}`) }])
    const nuxt = await load({ 'server/database/books.ts': BOOKS, 'drizzle/meta/.gitkeep': '' }, true)
    const { rootDir } = nuxt.options
    writeFiles(rootDir, { 'drizzle/0001_users.sql': 'DROP TABLE users;' })
    await expect.poll(() => told.join(), { timeout: 10_000 }).toContain('drizzle/0001_users.sql: the name `users`')
    rmSync(join(rootDir, 'drizzle/0001_users.sql'))
    await expect
      .poll(() => told.at(-1), { timeout: 10_000 })
      .toBe('warn: changed without a migration: books (server/database). Write it with `npm run db:generate`.')
    writeFiles(rootDir, USERS)
    await expect
      .poll(() => told.at(-1), { timeout: 10_000 })
      .toMatch(/^error: These tables cannot be made:\n {2}- server\/database\/mine\.ts: the name `users`/)
    await nuxt.close()
    logger.setReporters(reporters)
  })
})
