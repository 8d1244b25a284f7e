import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

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
