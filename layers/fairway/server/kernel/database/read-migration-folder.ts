import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Migration, toMigration } from './migration'

/** Reads the migrations of a folder, in the order of their names; none where there is no folder. */
export async function readMigrationFolder(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder).catch(noneIfMissing)).filter(name => name.endsWith('.sql')).toSorted()
  return Promise.all(names.map(async name => toMigration(name, await readFile(join(folder, name), 'utf8'))))
}

function noneIfMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
