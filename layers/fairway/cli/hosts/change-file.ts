import { copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../replace-file'

export interface FileChange {
  isChanged: boolean
  /** Where the file of before is kept; undefined when there was none. */
  backup?: string
}

/** Changes a text file at once, keeps its permissions and the file of before; writes nothing when the text stays the same. */
export async function changeFile(path: string, change: (text: string) => string, now: Date): Promise<FileChange> {
  const target = await realpath(path).catch(() => path)
  const before = await readFile(target, 'utf8').catch(missing)
  const after = change(before ?? '')
  if (after === before) return { isChanged: false }
  await mkdir(dirname(target), { recursive: true })
  const mode = before === undefined ? 0o600 : (await stat(target)).mode & 0o777
  const backup = before === undefined ? undefined : `${target}.${stamp(now)}.bak`
  if (backup) await copyFile(target, backup)
  await replaceFile(target, after, mode)
  return { isChanged: true, backup }
}

const stamp = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '')

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
