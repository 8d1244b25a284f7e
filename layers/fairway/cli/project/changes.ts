// Shows and writes changes of a project's files.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createTwoFilesPatch } from 'diff'

/** A change of a file that the person sees before it is written. */
export interface FileChange {
  path: string
  /** The current text; undefined for a new file. */
  before?: string
  /** The new text; undefined for a deleted file. */
  after?: string
}

/** Returns the text of a file of a project; undefined when it does not exist. */
export const readIn = (folder: string, path: string): string | undefined =>
  existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined

/** Prints changes as a diff, in color on terminals. */
export function showChanges(changes: readonly FileChange[]): void {
  for (const change of changes) process.stdout.write(`${coloured(patchOf(change))}\n`)
}

/** Writes changes into the folder that their paths are relative to; also deletes folders that become empty. */
export function writeChanges(folder: string, changes: readonly FileChange[]): void {
  for (const { path, after } of changes) {
    if (after === undefined) {
      deleteFile(folder, path)
      continue
    }
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), after)
  }
}

function deleteFile(folder: string, path: string): void {
  rmSync(join(folder, path), { force: true })
  for (let dir = dirname(path); dir !== '.' && readdirSync(join(folder, dir)).length === 0; dir = dirname(dir))
    rmdirSync(join(folder, dir))
}

function patchOf({ path, before, after = '' }: FileChange): string {
  const patch = createTwoFilesPatch(before === undefined ? '/dev/null' : path, path, before ?? '', after)
  return patch.replace(/^(Index:.*\n)?=+\n/, '').trimEnd()
}

function coloured(patch: string): string {
  if (!process.stdout.isTTY) return patch
  const [red, green, plain] = ['\u001B[31m', '\u001B[32m', '\u001B[39m']
  return patch
    .split('\n')
    .map(line => (/^[-+]/.test(line) ? `${line.startsWith('-') ? red : green}${line}${plain}` : line))
    .join('\n')
}
