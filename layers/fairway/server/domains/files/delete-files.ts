// Deletion of files: those that no row refers to any more, and abandoned uploads. Only files with a row in the database are
// deleted: bytes that it does not know may belong to another one.
import { and, eq, inArray, isNull, lt, or } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { countRows } from '#fairway/server/kernel/owned-rows'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { findLost, lostSql } from './kept-files'
import { storageOf } from './storage-of'
import { findOwnerFault } from './storage-owner'
import { files } from './tables'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const PIECE = 100
/** More files of rows than this, and than this share of all, are deleted only when an operator asks for it. */
const MOST_AT_ONCE = 100
const MOST_SHARE = 0.2

interface Deleting {
  /** Also finds files whose row lost them without a trigger. */
  all: boolean
  /** How many files of rows may be deleted, when an operator has decided it. */
  most?: number
  signal: AbortSignal
}

/**
 * Deletes the files that no row refers to, and uploads older than a day; returns their number. Deletes nothing while a backup is
 * running or when the storage belongs to another installation, and no files of rows when they would be too many. Operators get a
 * security event then.
 */
export async function deleteFiles(app: App, { all, most = MOST_AT_ONCE, signal }: Deleting): Promise<number> {
  const storage = await storageOf(app)
  if (await storage.isHeld?.(app.now())) return 0
  const ownerFault = await findOwnerFault(app)
  if (ownerFault !== undefined) return tellOperators(app, ownerFault)
  const shareFault = await findShareFault(app, all, most)
  if (shareFault !== undefined) await tellOperators(app, shareFault)
  else if (all) await findLost(app)
  let count = 0
  for (;;) {
    const ids = await claimPiece(app, shareFault === undefined)
    // The row is deleted last: it is the note that these bytes are ours.
    for (const id of ids) await storage.remove(id)
    if (ids.length > 0) await app.db.orm.delete(files).where(and(inArray(files.id, ids), eq(files.state, 'deleting')))
    count += ids.length
    if (ids.length < PIECE || signal.aborted) return count
  }
}

async function tellOperators(app: App, reason: string): Promise<0> {
  await recordSecurityEvent(app, { kind: 'files-not-deleted', reason, quietForInMs: DAY_IN_MS })
  return 0
}

/** Why the files of rows must not be deleted: a database that was exchanged, or a fault of a program, would take them all. */
async function findShareFault(app: App, all: boolean, most: number): Promise<string | undefined> {
  const { client } = app.db
  const lost = all ? `or (state = 'kept' and ${await lostSql(app)})` : ''
  const ended = await countRows(client, `fw_files where (state = 'unwanted' and table_name is not null) ${lost}`, [])
  if (ended <= most) return undefined
  const known = await countRows(client, `fw_files where state in ('kept', 'unwanted') and table_name is not null`, [])
  if (most === MOST_AT_ONCE && ended <= known * MOST_SHARE) return undefined
  return `${ended} of ${known} files would be deleted; to delete them: fw jobs run fw-delete-files '{"all":${all},"most":${ended}}'`
}

/** Marks the next batch of files that are to be deleted, so that no row can take one back, and returns their ids. */
async function claimPiece(app: App, withRows: boolean): Promise<string[]> {
  const { orm } = app.db
  const before = new Date(app.now().getTime() - DAY_IN_MS)
  const isEnded = or(
    eq(files.state, 'deleting'),
    and(eq(files.state, 'unwanted'), withRows ? undefined : isNull(files.tableName)),
    and(inArray(files.state, ['pending', 'writing']), lt(files.createdAt, before)),
  )
  const next = orm.select({ id: files.id }).from(files).where(isEnded).limit(PIECE)
  const claimed = await orm
    .update(files)
    .set({ state: 'deleting', tableName: null, rowId: null, columnName: null })
    .where(and(isEnded, inArray(files.id, next)))
    .returning({ id: files.id })
  return claimed.map(({ id }) => id)
}
