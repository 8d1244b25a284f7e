import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase, type OpenDatabaseOptions } from '#server/foundation/database/client'
import { migrate } from '#server/foundation/database/migrate'
import { readMigrationFolder } from '#server/foundation/database/read-migration-folder'
import { createLog, type Log } from '#server/foundation/events/log'

export interface TestDatabase extends Database {
  url: string
  /** The folder that holds the file; removed by `close`. */
  folder: string
}

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** A log that nobody reads. */
export const quietLog: Log = createLog(
  () => {},
  'error',
  () => new Date(),
)

/** A database file of its own with all tables of the application; `close` removes it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const db = await openEmptyDatabase()
  await migrate(db, await readMigrationFolder(MIGRATIONS), quietLog)
  return db
}

/** A database file of its own without tables; `close` removes it. */
export async function openEmptyDatabase(options: Partial<OpenDatabaseOptions> = {}): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-'))
  const url = `file:${join(folder, 'test.db')}`
  const db = await openDatabase({ url, log: quietLog, ...options })
  return {
    ...db,
    url,
    folder,
    async close() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
