// What is generated, compared with what a project has: what would be written, and what its author has changed and keeps.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileChange, readIn } from '../project/changes'

export interface GeneratePlan {
  /** What is written. */
  changes: FileChange[]
  /** What would be otherwise in files that the author has changed; it is shown, and written with `--force` alone. */
  kept: FileChange[]
  /** What the person should know, one sentence each. */
  remarks: string[]
  /** What to do next. */
  next: string[]
}

interface FilesInput {
  files: ReadonlyMap<string, string>
  /** What the generator has written until now; a file that is still like that is nobody's own. */
  former?: readonly ReadonlyMap<string, string>[]
  force?: boolean
}

/** Compares files with those of a project. One that is there counts as its author's, unless it is as it was generated. */
export function planFiles(
  root: string,
  { files, former = [], force = false }: FilesInput,
): Pick<GeneratePlan, 'changes' | 'kept'> {
  const changed = [...files]
    .map(([path, after]) => ({ path, before: readIn(root, path), after }))
    .filter(({ before, after }) => before !== after)
  const isFree = ({ path, before }: FileChange) =>
    force || before === undefined || former.some(texts => texts.get(path) === before)
  return { changes: changed.filter(isFree), kept: changed.filter(change => !isFree(change)) }
}

/** The languages that an application has texts in; English where it has none. */
export function languagesOf(root: string): string[] {
  const folder = join(root, 'app/locales')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const found = names.flatMap(name => {
    if (name.endsWith('.json')) return [basename(name, '.json')]
    return statSync(join(folder, name)).isDirectory() ? [name] : []
  })
  return [...new Set(['en', ...found])].toSorted((a, b) => (a === 'en' ? -1 : b === 'en' ? 1 : a < b ? -1 : 1))
}
