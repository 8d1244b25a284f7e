import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { planAdoption } from '#fairway/cli/adopt/adopt-table'
import { writeChanges } from '#fairway/cli/project/changes'
import { collectionFiles } from '#fairway/modules/registry/catalogs'
import { loadCollections } from '#fairway/modules/registry/declarations'
import { loadTables, unmigratedTables } from '#fairway/modules/tables'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { platformMigrations, quietLog } from '../../support/database'
import { writeFiles } from '../../support/files'
import { startFw } from '../../support/fw'
import { newApplication } from '../../support/new-application'

const ROWS = 2000
const TABLES = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const customers = sqliteTable('customers', { id: integer('id').primaryKey({ autoIncrement: true }), name: text('name').notNull() })

export const reports = sqliteTable('reports', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  customerId: integer('customer_id').references(() => customers.id),
  author: text('author').notNull(),
  title: text('title').notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
})

export const pages = sqliteTable('pages', {
  id: integer('id').primaryKey(),
  reportId: integer('report_id').references(() => reports.id, { onDelete: 'cascade' }),
})
`
// As `drizzle-kit push` made them, before the platform was added.
const MADE = [
  'CREATE TABLE customers (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, name text NOT NULL)',
  'CREATE TABLE reports (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, customer_id integer REFERENCES customers(id), author text NOT NULL, title text NOT NULL, created_at integer NOT NULL)',
  'CREATE TABLE pages (id integer PRIMARY KEY NOT NULL, report_id integer REFERENCES reports(id) ON DELETE cascade)',
  "INSERT INTO customers VALUES (1, 'First')",
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
   INSERT INTO reports SELECT i, 1, iif(i % 2, 'ada@example.test', 'Borealis'), 'Report ' || i, i FROM n`,
  'INSERT INTO pages VALUES (1, 7)',
]
const ORGANIZATIONS = `INSERT INTO organizations (id, name, created_by, created_at)
  VALUES ('o1', 'Acme''s', 'u1', 1), ('o2', 'Borealis', 'u1', 2)`
const PEOPLE = [
  "INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('u1', 'Ada', 'ada@example.test', 1, 1)",
  "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ('o1', 'u1', 'owner', 1)",
]

let app: string
const url = () => `file:${join(app, '.data/app.db')}`
const adopt = (...args: string[]) => startFw(['adopt', 'table', ...args], { DATABASE_URL: url() }, app).ended
/** The work of the command in this process, which is quicker. */
const adoptHere = async (name: string, owner: { to: string } | { by: string }) =>
  writeChanges(app, (await planAdoption(app, { name, ...owner })).changes)
const texts = () =>
  Object.fromEntries(
    ['server', 'drizzle'].flatMap(folder =>
      readdirSync(join(app, folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
    ),
  )

/** Runs `work` with the application's database. */
async function withDatabase<T>(work: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: url(), log: quietLog })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
const start = () =>
  withDatabase(async db => {
    const application = await readMigrationFolder(join(app, 'drizzle'))
    return migrateAll(db, { platform: await platformMigrations(), application }, quietLog)
  })
const rowsOf = (sql: string) => withDatabase(async db => (await db.client.execute(sql)).rows)

beforeEach(async () => {
  app = newApplication()
  mkdirSync(join(app, '.data'))
  mkdirSync(join(app, 'drizzle'), { recursive: true })
  writeFiles(app, { '.env': `DATABASE_URL=${url()}\n`, 'server/database/schema.ts': TABLES })
  await withDatabase(async db => {
    for (const sql of MADE) await db.client.execute(sql)
  })
  await start()
  await withDatabase(async db => {
    for (const sql of [ORGANIZATIONS, ...PEOPLE]) await db.client.execute(sql)
  })
})

describe('fw adopt table', () => {
  it('gives 2,000 rows to one organization, and changes nothing a second time', async () => {
    const before = texts()
    const dry = await adopt('reports', '--org', '--to', "Acme's", '--dry-run')
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('...organizationColumns(),')])
    expect(texts()).toEqual(before)
    const { code, out, err } = await adopt('reports', '--org', '--to', "Acme's")
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('new      drizzle/0000_baseline.sql')
    expect(await start()).toEqual({ applied: ['0000_baseline', '0001_reports_org'] })
    expect(
      await rowsOf('select org_id, count(*) as n, min(title) as a, sum(created_at) as s from reports group by 1'),
    ).toMatchObject([{ org_id: 'o1', n: ROWS, a: 'Report 1', s: (ROWS * (ROWS + 1)) / 2 }])
    await expect(
      rowsOf("insert into reports (author, title, created_at, created_by_name) values ('', '', 1, '')"),
    ).rejects.toThrow('NOT NULL')
    expect(await rowsOf('select report_id from pages')).toMatchObject([{ report_id: 7 }])
    expect(await rowsOf("select name from sqlite_schema where name = 'reports_org'")).toHaveLength(1)
    const after = texts()
    expect(await adopt('reports', '--org', '--to', "Acme's")).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to change'),
    })
    expect(texts()).toEqual(after)
  })

  it('writes a table, a policy and a collection that load, and snapshots that match', async () => {
    await adopt('reports', '--org', '--to', 'o2')
    const { files, faults } = await loadTables(app)
    expect(faults).toEqual([])
    expect(await unmigratedTables(app, files)).toEqual([])
    const collections = await loadCollections(app, collectionFiles(app))
    expect(collections.map(({ name }) => name)).toContain('report-list')
    expect(texts()[join(app, 'server/database/schema.ts')]).toContain(
      'export const reportPolicy = definePolicy(reports, {',
    )
    expect(await adopt('pages', '--org', '--by', 'reportId')).toMatchObject({ code: 0 })
    expect(readdirSync(join(app, 'drizzle')).filter(name => name.endsWith('.sql'))).toEqual([
      '0000_baseline.sql',
      '0001_reports_org.sql',
      '0002_pages_org.sql',
    ])
  })

  it('takes the organization from a column with its name or the address of a member', async () => {
    await adoptHere('reports', { by: 'author' })
    await start()
    expect(await rowsOf('select org_id, count(*) as n from reports group by 1 order by 1')).toMatchObject([
      { org_id: 'o1', n: ROWS / 2 },
      { org_id: 'o2', n: ROWS / 2 },
    ])
  })

  it('changes no row where one has no organization, and says which table', async () => {
    await rowsOf("update reports set author = 'nobody@example.test' where id = 3")
    await adoptHere('reports', { by: 'author' })
    await expect(start()).rejects.toThrow(/Rows of reports have no organization/)
    expect(await rowsOf("select count(*) as n from pragma_table_info('reports') where name = 'org_id'")).toMatchObject([
      { n: 0 },
    ])
  })

  it('makes the same tables in a new database', async () => {
    await adoptHere('reports', { to: 'o1' })
    rmSync(join(app, '.data'), { recursive: true })
    mkdirSync(join(app, '.data'))
    await start()
    expect(await rowsOf("select [notnull] as n from pragma_table_info('reports') where name = 'org_id'")).toMatchObject(
      [{ n: 1 }],
    )
    expect(await rowsOf('select * from reports')).toEqual([])
  })

  it.each([
    [{ name: 'report', to: 'o1' }, 'There is no table report in server/database. Did you mean reports?'],
    [{ name: 'reports' }, '--to "Acme"'],
    [{ name: 'reports', to: 'o1', by: 'author' }, '--by customer'],
    [{ name: 'reports', by: 'auther' }, 'has no column auther. Did you mean author?'],
    [{ name: 'reports', to: 'Boreals' }, 'There is no organization Boreals in'],
  ])('refuses %j', async (args, reason) => {
    await expect(planAdoption(app, args)).rejects.toThrow(reason)
  })

  it('exits with 2 without --org, and changes nothing', async () => {
    const before = texts()
    expect(await adopt('reports', '--to', 'o1')).toMatchObject({ code: 2, err: expect.stringContaining('--org') })
    expect(texts()).toEqual(before)
  })

  it.each([
    [
      "{ id: text('id').primaryKey() }, table => [index('own').on(table.id)]",
      "table => [index('things_org').on(table.orgId, table.id), index('own')",
    ],
    [
      't => ({ id: t.text().primaryKey(), at: t.integer() })',
      'id: t.text().primaryKey(), ...organizationColumns(), at:',
    ],
    [
      "{ key: text('key'), id: text('id').primaryKey() }, table => ({ own: index('own').on(table.id) })",
      "({ org: index('things_org').on(table.orgId, table.id), own:",
    ],
  ])('reads a table with %s', async (rest, expected) => {
    const head = "import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'\n"
    writeFiles(app, { 'server/database/things.ts': `${head}export const things = sqliteTable('things', ${rest})\n` })
    await adoptHere('things', { to: 'o1' })
    expect(texts()[join(app, 'server/database/things.ts')]).toContain(expected)
    expect((await loadTables(app)).faults).toEqual([])
  })
})
