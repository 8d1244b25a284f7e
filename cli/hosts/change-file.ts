import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

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
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx', mode)
    await file.writeFile(after)
    await file.sync()
    await file.close()
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return { isChanged: true, backup }
}

const stamp = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '')

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
