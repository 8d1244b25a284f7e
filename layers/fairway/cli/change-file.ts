import { copyFile, mkdir, readFile, realpath, stat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomBytes } from 'node:crypto'

interface FileChange {
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

/** Puts a whole file in its place at once, with this mode; when that fails, what was there stays and nothing is left behind. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx', mode)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
