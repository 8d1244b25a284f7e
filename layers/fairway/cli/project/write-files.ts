import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is wrong with a folder that a new project is to lie in, as a sentence; undefined where it is empty or not there. */
export function folderFault(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const found = readdirSync(folder).filter(name => name !== '.git')
  return found.length === 0
    ? undefined
    : `${folder} is not empty: ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}.`
}

/** Writes files into a folder that is empty or not there yet. Gives the way back: it removes all that has come into the folder since. */
export function writeNewFolder(folder: string, files: ReadonlyMap<string, string>): () => void {
  const before = existsSync(folder) ? new Set(readdirSync(folder)) : undefined
  const undo = () => {
    if (!before) return rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    const added = readdirSync(folder).filter(name => !before.has(name))
    for (const name of added) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  } catch (error) {
    undo()
    throw error
  }
  return undo
}
