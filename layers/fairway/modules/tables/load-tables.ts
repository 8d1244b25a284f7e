import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createLoader, type LoadOptions, reasonOf } from '../registry/load-declarations'
import { isHouse } from '../registry/roots'

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
  const dir = join(rootDir, TABLES_PLACE)
  const names = existsSync(dir) ? readdirSync(dir).filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts')) : []
  if (again) forget(rootDir)
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

/** A loader without memory would make a table anew for each file that names it, and two of them would be no longer the same. */
function forget(rootDir: string): void {
  const { cache } = createRequire(import.meta.url)
  const own = Object.keys(cache).filter(file => file.startsWith(join(rootDir, 'server/')) && !isHouse(file))
  for (const file of own) delete cache[file]
}
