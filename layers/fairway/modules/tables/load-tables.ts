import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { is } from 'drizzle-orm'
import { getTableConfig, getViewConfig, SQLiteTable, SQLiteView } from 'drizzle-orm/sqlite-core'
import { filesBelow } from '../registry/discover'
import { createLoader, forgetSources, type LoadOptions, reasonOf } from '../registry/load-declarations'

/** Where an application declares its tables; the same files as in the `schema` of its drizzle.config.ts. */
export const TABLES_PLACE = 'server/database'

export interface TableFile {
  path: string
  /** Everything that it exports. */
  exported: Record<string, unknown>
}

export interface TableFiles {
  files: TableFile[]
  /** The files that do not load, each with its reason. */
  faults: string[]
}

/** Loads the files of an application's tables. */
export async function loadTables(rootDir: string, { again = false }: LoadOptions = {}): Promise<TableFiles> {
  const names = filesBelow(join(rootDir, TABLES_PLACE)).filter(name => /^[^/]+(?<!\.d)\.ts$/.test(name))
  if (again) forgetSources(rootDir)
  const load = createLoader(rootDir, { whole: true })
  const loaded: TableFiles = { files: [], faults: [] }
  for (const name of names.toSorted()) {
    const path = `${TABLES_PLACE}/${name}`
    try {
      loaded.files.push({ path, exported: Object.assign({}, await load(path)) })
    } catch (error) {
      loaded.faults.push(`${path}: does not load: ${reasonOf(error, path)}`)
    }
  }
  return loaded
}

const snapshotSchema = z.object({
  tables: z.record(z.string(), z.unknown()),
  views: z.record(z.string(), z.unknown()).default({}),
})

/**
 * The names of tables that are declared otherwise than drizzle-kit has last written them down. None where migrations are
 * written by hand: then nothing says what they add up to.
 */
export async function unmigratedTables(rootDir: string, files: readonly TableFile[]): Promise<string[]> {
  const then = lastSnapshot(join(rootDir, 'drizzle'))
  const isEmpty = !files.some(({ exported }) => Object.values(exported).some(value => declaredNames(value).length > 0))
  if (!then || (isEmpty && Object.keys(then).length === 0)) return []
  // Loading it takes a second.
  const { generateSQLiteDrizzleJson } = await import('drizzle-kit/api')
  const now = contentsOf(await generateSQLiteDrizzleJson(Object.assign({}, ...files.map(({ exported }) => exported))))
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter(name => !isDeepStrictEqual(then[name], now[name]))
    .toSorted()
}

function lastSnapshot(folder: string): Record<string, unknown> | undefined {
  const meta = join(folder, 'meta')
  const last = existsSync(meta)
    ? readdirSync(meta)
        .filter(name => name.endsWith('_snapshot.json'))
        .toSorted()
        .at(-1)
    : undefined
  if (last) return contentsOf(JSON.parse(readFileSync(join(meta, last), 'utf8')))
  const isByHand = existsSync(folder) && readdirSync(folder).some(name => name.endsWith('.sql'))
  return isByHand ? undefined : {}
}

/** Tables and views by their names, in the form that a file has. */
function contentsOf(snapshot: unknown): Record<string, unknown> {
  const { tables, views } = snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))
  return { ...tables, ...views }
}

/** What SQLite makes of a declared table or view: its name and those of its indexes, which share one space; empty for everything else. */
export function declaredNames(value: unknown): string[] {
  if (is(value, SQLiteView)) return [getViewConfig(value).name]
  if (!is(value, SQLiteTable)) return []
  const { name, columns, indexes, uniqueConstraints } = getTableConfig(value)
  const uniqueColumns = columns.flatMap(({ isUnique, uniqueName }) => (isUnique && uniqueName ? [uniqueName] : []))
  const constraints = uniqueConstraints.flatMap(constraint => constraint.getName() ?? [])
  return [name, ...indexes.map(index => index.config.name), ...uniqueColumns, ...constraints]
}
