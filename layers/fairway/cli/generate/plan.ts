// What is generated, compared with what a project has: what would be written, and what its author has changed and keeps.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileChange, readIn } from '../project/changes'
import { grownFile } from './grow'

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

/** What a file was when it was generated, by its path. */
type Texts = ReadonlyMap<string, string>

interface FilesInput {
  /** What each file is to be; undefined for one that is to go. */
  files: ReadonlyMap<string, string | undefined>
  /** What the generator has written until now, the likeliest first. A file that is still like that is nobody's own. */
  former?: readonly Texts[]
  force?: boolean
}

/**
 * Compares files with those of a project. One that is there counts as its author's, unless it is as it was generated; then it takes
 * the changes that do not meet the author's own. The others are kept, and what they would take is shown.
 */
export function planFiles(
  root: string,
  { files, former = [], force = false }: FilesInput,
): Pick<GeneratePlan, 'changes' | 'kept'> {
  const plan: Pick<GeneratePlan, 'changes' | 'kept'> = { changes: [], kept: [] }
  for (const [path, after] of files) {
    const before = readIn(root, path)
    if (before === after) continue
    const generated = former.flatMap(texts => texts.get(path) ?? [])
    if (force || before === undefined || generated.includes(before)) {
      plan.changes.push({ path, before, after })
      continue
    }
    const [was] = generated
    const grown = grownFile({ own: before, former: was, after })
    if (grown === undefined) plan.kept.push({ path, before: was ?? before, after })
    else if (grown !== before) plan.changes.push({ path, before, after: grown })
  }
  return plan
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
