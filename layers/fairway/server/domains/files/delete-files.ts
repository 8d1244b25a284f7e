// Deletion of files: those that no row refers to any more, abandoned uploads, and bytes in the storage without a row.
import { and, eq, inArray, lt, or } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { findLost } from './kept-files'
import type { StoredKey } from './storage'
import { storageOf } from './storage-of'
import { files } from './tables'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const PIECE = 100

interface Deleted {
  files: number
  /** Files in the storage without a row. */
  orphans: number
}

/**
 * Deletes the bytes of files that no row refers to, and of uploads older than a day. With `all` it also finds rows that lost
 * their files without a trigger, and searches the whole storage for bytes without a row. Deletes nothing while a backup is
 * running.
 */
export async function deleteFiles(app: App, { all, signal }: { all: boolean; signal: AbortSignal }): Promise<Deleted> {
  const storage = await storageOf(app)
  if (await storage.isHeld?.(app.now())) return { files: 0, orphans: 0 }
  if (all) await findLost(app)
  let count = 0
  for (;;) {
    const ids = await forgetPiece(app)
    // The row is deleted first: bytes without a row are found later, but a row without bytes would be a broken file.
    for (const id of ids) await storage.remove(id)
    count += ids.length
    if (ids.length < PIECE || signal.aborted) break
  }
  return { files: count, orphans: all && !signal.aborted ? await removeOrphans(app, signal) : 0 }
}

/** Deletes the rows of the next batch of unwanted files and returns their ids. */
async function forgetPiece(app: App): Promise<string[]> {
  const { orm } = app.db
  const before = new Date(app.now().getTime() - DAY_IN_MS)
  const isEnded = or(eq(files.state, 'unwanted'), and(eq(files.state, 'pending'), lt(files.createdAt, before)))
  const next = orm.select({ id: files.id }).from(files).where(isEnded).limit(PIECE)
  const gone = await orm
    .delete(files)
    .where(and(isEnded, inArray(files.id, next)))
    .returning({ id: files.id })
  return gone.map(({ id }) => id)
}

async function removeOrphans(app: App, signal: AbortSignal): Promise<number> {
  const storage = await storageOf(app)
  const before = new Date(app.now().getTime() - DAY_IN_MS)
  let count = 0
  let piece: string[] = []
  const flush = async () => {
    const known = await app.db.orm.select({ id: files.id }).from(files).where(inArray(files.id, piece))
    const ids = new Set(known.map(({ id }) => id))
    const orphans = piece.filter(key => !ids.has(key))
    for (const key of orphans) await storage.remove(key)
    count += orphans.length
    piece = []
  }
  const isOld = ({ changedAt }: StoredKey) => changedAt < before
  for await (const stored of storage.list()) {
    if (signal.aborted) return count
    if (isOld(stored)) piece.push(stored.key)
    if (piece.length === PIECE) await flush()
  }
  if (piece.length > 0) await flush()
  return count
}
