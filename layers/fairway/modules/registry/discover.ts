import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type DeclarationFile, toDeclarations } from './names'
import { houseDir } from './roots'

/**
 * Finds what is declared below a place of a folder, for example `server/actions`; a place that does not exist is empty.
 * The folder is the application's own unless another one is given; paths are relative to the application in either case.
 */
export function discover(rootDir: string, place: string, folder = rootDir): DeclarationFile[] {
  const dir = join(folder, place)
  const paths = entriesBelow(dir).map(path => relative(dir, path).split(sep).join('/'))
  return toDeclarations(relative(rootDir, dir).split(sep).join('/'), paths)
}

/** Finds the same in the application and in the platform, by name. */
export const discoverAll = (rootDir: string, place: string): DeclarationFile[] =>
  [...discover(rootDir, place), ...discover(rootDir, place, houseDir)].toSorted((a, b) => (a.name < b.name ? -1 : 1))

function entriesBelow(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
