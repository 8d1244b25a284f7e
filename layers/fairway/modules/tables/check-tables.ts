// SQLite has one namespace for tables, views and indexes, and the application's are beside the platform's. New names of the
// platform begin with `fw_`, so that no upgrade takes a name that is in use.
import { join } from 'node:path'
import { is } from 'drizzle-orm'
import { getTableConfig, getViewConfig, SQLiteTable, SQLiteView } from 'drizzle-orm/sqlite-core'
import * as schema from '../../server/schema'
import {
  readMigrationFolder,
  QUOTED_OR_COMMENT,
  splitStatements,
  type Migration,
} from '../../server/kernel/database/migrations'
import { platformDir } from '../registry/roots'

export interface TableFile {
  path: string
  /** All of its exports. */
  exported: Record<string, unknown>
}

export interface TableFiles {
  files: TableFile[]
  /** The files that do not load, each with its reason. */
  faults: string[]
}

type NameCheck = ReturnType<typeof createNameCheck>

interface Declared {
  path: string
  name: string
  /** The table or the view itself. */
  value: unknown
}

/** Throws with every table of an application that conflicts with the platform's: the file, the reason and the fix. */
export async function checkTables(rootDir: string, { files, faults }: TableFiles): Promise<void> {
  const check = createNameCheck()
  const declared = files.flatMap(declaredIn)
  const all = [
    ...faults,
    ...reservedNames(declared, check),
    ...namesTwice(declared),
    ...(await sqlFaults(rootDir, check)),
  ]
  if (all.length > 0) throw new Error(`These tables cannot be made:\n${all.map(fault => `  - ${fault}`).join('\n')}`)
}

const declaredIn = ({ path, exported }: TableFile): Declared[] =>
  Object.values(exported).flatMap(value => declaredNames(value).map(name => ({ path, name, value })))

const reservedNames = (declared: readonly Declared[], check: NameCheck): string[] =>
  declared.flatMap(({ path, name }) => {
    const fault = check(name)
    return fault
      ? [`${path}: ${fault}; call yours something else, or do not export it where it only stands for the platform's`]
      : []
  })

/** A table that another file re-exports counts once. */
function namesTwice(declared: readonly Declared[]): string[] {
  return [...Map.groupBy(declared, ({ name }) => name.toLowerCase())]
    .filter(([, same]) => new Set(same.map(({ value }) => value)).size > 1)
    .map(([name, same]) => {
      const paths = [...new Set(same.map(({ path }) => path))].join(' and ')
      return `${paths}: the name \`${name}\` is used twice; give one of them another name`
    })
}

async function sqlFaults(rootDir: string, check: NameCheck): Promise<string[]> {
  const platform = new Set((await readMigrationFolder(join(platformDir, 'drizzle'))).map(({ name }) => name))
  const migrations = await readMigrationFolder(join(rootDir, 'drizzle'))
  return migrations.flatMap(migration => {
    const faults = namesInSql(migration).flatMap(name => check(name) ?? [])
    const file = `drizzle/${migration.name}.sql`
    if (faults.length > 0 && platform.has(migration.name))
      return [`${file}: the platform brings this migration itself; delete the file`]
    return faults.map(fault => `${file}: ${fault}; ${SQL_CURE}`)
  })
}

const SQL_CURE =
  'call the table something else in server/database, take this file back with `npx drizzle-kit drop` and run `npm run db:generate`; a file that has run already only has to leave drizzle/'

/** Names with this prefix are the platform's, including future ones. */
const PREFIX = 'fw_'

/** The names of the platform's tables and their indexes. */
export const platformNames = (): string[] => Object.values(schema).flatMap(declaredNames)

/** Returns the reason why an application may not use a name; undefined if it may. */
export function createNameCheck(): (name: string) => string | undefined {
  const taken = new Set(platformNames())
  return name => {
    const lower = name.toLowerCase()
    if (taken.has(lower)) return `the name \`${name}\` is the platform's`
    return lower.startsWith(PREFIX) ? `names that begin with \`${PREFIX}\` are the platform's: \`${name}\`` : undefined
  }
}

const NAME = String.raw`(?:(?:main|temp)\s*\.\s*)?(\`[^\`]+\`|"[^"]+"|\[[^\]]+\]|[\w$]+)`
const OBJECT = String.raw`(?:(?:temp|temporary|virtual|unique)\s+)*(?:table|view|index)\s+(?:if\s+(?:not\s+)?exists\s+)?`
const CHANGE = new RegExp(String.raw`^\s*(?:create|alter|drop)\s+${OBJECT}${NAME}`, 'i')
const RENAMING = new RegExp(String.raw`\brename\s+to\s+${NAME}\s*;?\s*$`, 'i')

/** The tables, views and indexes that a migration creates, alters, renames or drops. */
export const namesInSql = (migration: Migration): string[] => [
  ...new Set(splitStatements(migration).map(withoutTexts).flatMap(namesIn)),
]

function namesIn(statement: string): string[] {
  const changed = CHANGE.exec(statement)?.[1]
  if (!changed) return []
  const renamed = RENAMING.exec(statement)?.[1]
  return [changed, ...(renamed ? [renamed] : [])].map(name => name.replace(/^[`"[]|[`"\]]$/g, ''))
}

const withoutTexts = (statement: string): string =>
  statement.replace(QUOTED_OR_COMMENT, part => (/^['\-/]/.test(part) ? ' ' : part))

/** The names of a declared table or view and of its indexes in SQLite, which share one namespace. Empty for any other value. */
export function declaredNames(value: unknown): string[] {
  if (is(value, SQLiteView)) return [getViewConfig(value).name]
  if (!is(value, SQLiteTable)) return []
  const { name, columns, indexes, uniqueConstraints } = getTableConfig(value)
  const uniqueColumns = columns.flatMap(({ isUnique, uniqueName }) => (isUnique && uniqueName ? [uniqueName] : []))
  const constraints = uniqueConstraints.flatMap(constraint => constraint.getName() ?? [])
  return [name, ...indexes.map(index => index.config.name), ...uniqueColumns, ...constraints]
}
