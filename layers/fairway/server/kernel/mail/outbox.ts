import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { newId } from '../crypto/random'

const mailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string().optional() })

export type Mail = z.output<typeof mailSchema>

/** A mail that was written instead of sent. */
export interface WrittenMail extends Mail {
  id: string
  writtenAt: Date
}

const MOST_LISTED = 100
const SUFFIX = '.json'
const idSchema = z.uuidv7()

/** Writes one mail into the folder, readable for its owner alone, and gives the file. */
export async function writeToOutbox(folder: string, mail: Mail): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, newId() + SUFFIX)
  await writeFile(path, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 })
  return path
}

/** The hundred newest mails of the folder, the latest first; none when there is no folder yet. */
export async function listOutbox(folder: string): Promise<WrittenMail[]> {
  const names = await readdir(folder).catch(() => [])
  // The ids begin with the time, so the names are in the order of writing.
  const ids = names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length))
  const latest = ids.toSorted().toReversed().slice(0, MOST_LISTED)
  const mails = await Promise.all(latest.map(id => findInOutbox(folder, id)))
  return mails.filter(mail => mail !== undefined)
}

/** One mail of the folder; undefined for what is none. */
export async function findInOutbox(folder: string, id: unknown): Promise<WrittenMail | undefined> {
  const { data: known } = idSchema.safeParse(id)
  if (!known) return undefined
  const path = join(folder, known + SUFFIX)
  try {
    const [text, { mtime: writtenAt }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { ...mailSchema.parse(JSON.parse(text)), id: known, writtenAt }
  } catch {
    return undefined
  }
}
