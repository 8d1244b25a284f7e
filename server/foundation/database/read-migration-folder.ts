import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Migration, toMigration } from './migration'

/** Reads the migrations of a folder, in the order of their names. */
export async function readMigrationFolder(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).toSorted()
  return Promise.all(names.map(async name => toMigration(name, await readFile(join(folder, name), 'utf8'))))
}
