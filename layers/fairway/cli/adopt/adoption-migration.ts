// The migration that gives each row of a table its organization. SQLite cannot add a required column to a table with rows, so the
// table is made again.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { literal } from '../../server/kernel/database/sql-text'
import { planMigration } from '../generate/migration'
import { toSnake } from '../generate/names'
import type { FileChange } from '../project/changes'
import { UsageFault } from '../terminal'

/** The organization of existing rows: one for all, or the SQL name of the column that names it. */
export type Owner = { to: string } | { by: string }

interface AdoptionInput {
  /** The change of the table's file. */
  change: FileChange
  /** The table as it is. */
  table: SQLiteTable
  owner: Owner
}

const BREAK = ';--> statement-breakpoint\n'

/** Returns the changes in `drizzle/`: a baseline where there are no migrations yet, and the migration of the table. */
export async function adoptionMigration(root: string, { change, table, owner }: AdoptionInput): Promise<FileChange[]> {
  const folder = join(root, 'drizzle')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const hasSnapshots = existsSync(join(folder, 'meta'))
  if (!hasSnapshots && names.some(name => name.endsWith('.sql')))
    throw new UsageFault(
      'drizzle/ has migrations without drizzle/meta, so the columns of the table are not known here. Let drizzle-kit write the migrations, or write this one by hand: docs/guides/your-application.md.',
    )
  const unchanged = { path: change.path, after: change.before }
  const baseline = hasSnapshots ? [] : (await planMigration(root, { table: unchanged, name: 'baseline' })).changes
  const base = baseline.map(each =>
    each.path.endsWith('.sql') ? { ...each, after: ifMissing(each.after ?? '') } : each,
  )
  const { name } = getTableConfig(table)
  const { changes } = await planMigration(root, { table: change, name: `${toSnake(name)}_org`, base })
  const snapshot = changes.find(({ path }) => path.endsWith('_snapshot.json'))?.after ?? ''
  const sql = await rebuildingSql(snapshot, table, owner)
  const written = changes.map(each => (each.path.endsWith('.sql') ? { ...each, after: sql } : each))
  // The journal is changed twice, and the second change has both entries.
  const again = new Set(written.map(({ path }) => path))
  return [...base.filter(({ path }) => !again.has(path)), ...written]
}

/** A baseline runs in databases that have the tables, and in new ones. */
const ifMissing = (sql: string): string =>
  sql.replaceAll(/^CREATE (TABLE|INDEX|UNIQUE INDEX|VIEW) (?!IF )/gm, 'CREATE $1 IF NOT EXISTS ')

const EMPTY = { version: '6', dialect: 'sqlite', id: '', prevId: '', tables: {}, views: {}, enums: {} } as const

async function rebuildingSql(snapshot: string, table: SQLiteTable, owner: Owner): Promise<string> {
  // Loading it takes a second.
  const { generateSQLiteMigration } = await import('drizzle-kit/api')
  const { name } = getTableConfig(table)
  const draft = `__new_${name}`
  const statements = await generateSQLiteMigration(
    { ...EMPTY, _meta: { tables: {}, columns: {} } },
    JSON.parse(snapshot),
  )
  const createTable = statements.find(statement => statement.startsWith(`CREATE TABLE \`${name}\``)) ?? ''
  const indexes = statements.filter(statement =>
    new RegExp(`^CREATE (UNIQUE )?INDEX .* ON \`${name}\``).test(statement),
  )
  const columns = Object.values(getTableColumns(table)).map(column => `"${column.name}"`)
  const added = [
    ['"org_id"', organizationOf(name, owner)],
    ['"created_by_name"', literal('Earlier data')],
  ] as const
  return [
    'PRAGMA foreign_keys=OFF',
    trimmed(createTable)
      .replace(`CREATE TABLE \`${name}\``, `CREATE TABLE \`${draft}\``)
      .replaceAll(`"${name}".`, `"${draft}".`),
    `-- A row whose organization is not found stops the migration, and nothing changes.
INSERT INTO \`${draft}\` (${[...columns, ...added.map(([column]) => column)].join(', ')})
SELECT ${[...columns, ...added.map(([, value]) => value)].join(', ')} FROM \`${name}\``,
    `DROP TABLE \`${name}\``,
    `ALTER TABLE \`${draft}\` RENAME TO \`${name}\``,
    'PRAGMA foreign_keys=ON',
    ...indexes.map(trimmed),
  ]
    .join(BREAK)
    .concat(';\n')
}

const trimmed = (statement: string): string => statement.trim().replace(/;$/, '')

/** The organization of a row, as SQL: by its ID, its name, or the address of its oldest member. */
function organizationOf(name: string, owner: Owner): string {
  const value = 'to' in owner ? literal(owner.to) : `\`${name}\`.\`${owner.by}\``
  const named = (column: string) =>
    `(SELECT id FROM organizations WHERE deleted_at IS NULL AND ${column} = ${value} ORDER BY created_at LIMIT 1)`
  const joined = `(SELECT org_id FROM org_members JOIN users ON users.id = org_members.user_id WHERE users.email = lower(${value}) ORDER BY joined_at LIMIT 1)`
  return `coalesce(${[named('id'), named('name'), ...('by' in owner ? [joined] : [])].join(', ')})`
}
