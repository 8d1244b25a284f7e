import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileStorage, MARKER } from './storage'

const PART = '.part'
/** A backup creates this file to pause deletion. A leftover file counts for one day. */
export const HELD = '.backup'
const HELD_FOR_IN_MS = 24 * 60 * 60 * 1000

/**
 * Stores files below a folder. An id begins with a timestamp, so its final characters choose one of 256 subfolders; the marker is
 * in the folder itself.
 */
export function diskStorage(folder: string): FileStorage {
  const pathOf = (key: string) => (key === MARKER ? join(folder, key) : join(folder, key.slice(-2), key))

  return {
    async write(key, bytes) {
      const path = pathOf(key)
      const part = path + PART
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        const file = await open(part, 'wx', 0o600)
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(part, path)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    async read(key, range) {
      const file = await open(pathOf(key)).catch(unlessMissing)
      return file?.createReadStream(range && { start: range.first, end: range.last }) ?? null
    },
    async remove(key) {
      for (const path of [pathOf(key), pathOf(key) + PART]) await rm(path, { force: true })
    },
    async freeSpace() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    async isHeld(now) {
      const mark = await stat(join(folder, HELD)).catch(unlessMissing)
      return mark !== undefined && now.getTime() - mark.mtimeMs < HELD_FOR_IN_MS
    },
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
