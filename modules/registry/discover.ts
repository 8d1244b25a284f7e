import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type DeclarationFile, toDeclarations } from './names'

/** Finds what is declared below a place of the project, for example `server/actions`; a place that does not exist is empty. */
export function discover(rootDir: string, place: string): DeclarationFile[] {
  const dir = join(rootDir, place)
  const paths = entriesBelow(dir).map(path => relative(dir, path).split(sep).join('/'))
  return toDeclarations(place, paths)
}

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
