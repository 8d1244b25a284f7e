// The note of a file that is being uploaded: written before its bytes, because only noted files are ever deleted.
import { and, eq, ne } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { storageOf } from './storage-of'
import { files } from './tables'

/** A file whose sender does not say its size is noted with this one, and grows by it. */
export const UNKNOWN_SIZE_IN_BYTES = 64 * 1024 * 1024

interface Noted {
  id: string
  upload: string
  name: string
  type: string
  /** How many bytes are to come at most. They count until the file is written. */
  size: number
  width: number | null
  height: number | null
  userId: string | null
  /** Empty without an organization. */
  orgId: string
}

/**
 * Notes a file before its bytes are written. Throws `too-many-uploads` when the person or the organization has too many bytes
 * without a row, and `no-space-for-files` when the disk would keep too little free.
 */
export async function noteFile(app: App, noted: Noted): Promise<void> {
  await checkSpace(app, noted.size)
  const { id, upload, name, type, size, width, height, userId, orgId } = noted
  const fits = fitting(app, noted)
  const values: InValue[] = [id, upload, name, type, size, width, height, userId, orgId, app.now().getTime()]
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_files
        (id, upload, name, type, size, width, height, user_id, org_id, sha256, state, created_at)
      select ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 'writing', ? where ${fits.sql}`,
    args: values.concat(fits.args),
  })
  if (rowsAffected === 0) throw new AppError('too-many-uploads')
}

/** Notes that more bytes of a file are to come than it has noted. Throws as `noteFile` does. */
export async function growNote(app: App, { id, userId, orgId }: Noted, size: number): Promise<void> {
  await checkSpace(app, UNKNOWN_SIZE_IN_BYTES)
  const fits = fitting(app, { id, userId, orgId, size })
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_files set size = ? where id = ? and state = 'writing' and ${fits.sql}`,
    args: [size, id, ...fits.args],
  })
  if (rowsAffected === 0) throw new AppError('too-many-uploads')
}

async function checkSpace(app: App, size: number): Promise<void> {
  const free = await (await storageOf(app)).freeSpace?.()
  if (free !== undefined && free - size < app.config.uploads.reserve) throw new AppError('no-space-for-files')
}

/** The condition that a file fits beside others. A single one that is larger than the limit fits when nothing else waits. */
function fitting({ config }: App, { id, userId, orgId, size }: Pick<Noted, 'id' | 'userId' | 'orgId' | 'size'>) {
  const { perPerson, perOrganization } = config.uploads
  // The `+` keeps SQLite at the index of states.
  const fits = (column: string) =>
    `(select coalesce(sum(size), 0) from fw_files where state in ('writing', 'pending') and +${column} = ? and id <> ?) <= max(?, 0)`
  const args: InValue[] = [userId, id, perPerson - size, orgId, orgId, id, perOrganization - size]
  return { sql: `${fits('user_id')} and (? = '' or ${fits('org_id')})`, args }
}

/** Ends the writing of a file. Throws `conflict` when its organization or account was deleted meanwhile. */
export async function finishFile(app: App, id: string, written: { size: number; sha256: string }): Promise<void> {
  const { rowsAffected } = await app.db.orm
    .update(files)
    .set({ ...written, state: 'pending', createdAt: app.now() })
    .where(and(eq(files.id, id), eq(files.state, 'writing')))
  if (rowsAffected === 0) throw new AppError('conflict')
}

/** Deletes what was written of a failed upload. If that fails too, the note stays and the next purge deletes it. */
export async function dropFile(app: App, id: string): Promise<void> {
  try {
    await (await storageOf(app)).remove(id)
    await app.db.orm.delete(files).where(and(eq(files.id, id), ne(files.state, 'kept')))
  } catch (error) {
    app.log.warn('a failed upload is deleted later', { file: id, error })
  }
}
