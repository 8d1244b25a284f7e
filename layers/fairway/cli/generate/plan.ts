// Compares generated files with a project: which files to write, and which ones the author has edited and keeps.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FileChange, readIn } from '../project/changes'
import { grownCatalog, mergeGeneratedFile } from './grow'

export interface GeneratePlan {
  /** The changes to write. */
  changes: FileChange[]
  /** The changes for files that the author has edited; the plan shows them, and only `--force` writes them. */
  kept: FileChange[]
  /** Notes for the person, one sentence each. */
  remarks: string[]
  /** The next steps. */
  next: string[]
}

/** The generated text of each file, by path. */
type Texts = ReadonlyMap<string, string>

interface FilesInput {
  /** The new text of each file; undefined deletes it. */
  files: ReadonlyMap<string, string | undefined>
  /** Earlier outputs of the generator, the most likely first. A file that equals one of them has no edits. */
  former?: readonly Texts[]
  /** The fields that are new: an edited file that has one already stays as it is. */
  added?: readonly string[]
  force?: boolean
}

/**
 * Compares files with those of a project. An existing file counts as edited unless it equals its generated text. An edited file
 * takes changes that do not conflict with the edits. The others are kept, and the plan shows their changes.
 */
export function planFiles(
  root: string,
  { files, former = [], added = [], force = false }: FilesInput,
): Pick<GeneratePlan, 'changes' | 'kept'> {
  const plan: Pick<GeneratePlan, 'changes' | 'kept'> = { changes: [], kept: [] }
  for (const [path, after] of files) {
    const before = readIn(root, path)
    if (before === after) continue
    const generated = former.flatMap(texts => texts.get(path) ?? [])
    const next = nextText(path, { before, after, generated, added, force })
    if (!next) plan.kept.push({ path, before: generated[0] ?? before, after })
    else if (next.after !== before) plan.changes.push({ path, before, after: next.after })
  }
  return plan
}

interface Comparison extends Pick<FileChange, 'before' | 'after'> {
  /** The earlier outputs of the generator for this file. */
  generated: readonly string[]
  added: readonly string[]
  force: boolean
}

/** Returns the text to write; undefined for a file that stays as it is. With `force`, a catalog keeps only the texts of others. */
function nextText(
  path: string,
  { before, after, generated, added, force }: Comparison,
): Pick<FileChange, 'after'> | undefined {
  if (before === undefined || generated.includes(before)) return { after }
  const former = force ? before : generated[0]
  if (path.endsWith('.json') && after !== undefined) {
    const grown = grownCatalog({ edited: before, former, after })
    if (grown !== undefined) return { after: grown }
    // Lines of a broken catalog are not merged, because a key could be there twice.
    return force ? { after } : undefined
  }
  if (force) return { after }
  const grown = mergeGeneratedFile({ edited: before, former, after }, added)
  return grown === undefined ? undefined : { after: grown }
}

/** Returns the languages of an application's texts; English when it has none. */
export function languagesOf(root: string): string[] {
  const folder = join(root, 'app/locales')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const languages = names.flatMap(name => {
    if (name.endsWith('.json')) return [basename(name, '.json')]
    return statSync(join(folder, name)).isDirectory() ? [name] : []
  })
  return [...new Set(['en', ...languages])].toSorted((a, b) => (a === 'en' ? -1 : b === 'en' ? 1 : a < b ? -1 : 1))
}
