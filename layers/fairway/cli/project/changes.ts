// Changes of a project's files, shown and written.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createTwoFilesPatch } from 'diff'

/** A change of a file that is shown before it is made. */
export interface FileChange {
  path: string
  /** The text of now; undefined for a new file. */
  before?: string
  /** Its next text; undefined for a file that is deleted. */
  after?: string
}

/** The text of a file of a project; undefined where there is none. */
export const readIn = (folder: string, path: string): string | undefined =>
  existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined

/** Shows changes as a diff, in colour on terminals. */
export function showChanges(changes: readonly FileChange[]): void {
  for (const change of changes) process.stdout.write(`${coloured(patchOf(change))}\n`)
}

/** Writes changes into the folder that their paths belong to; folders that become empty go too. */
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
