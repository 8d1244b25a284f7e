import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase, type OpenDatabaseOptions } from '#fairway/server/kernel/database/client'
import { migrate, migrateAll, type Migration } from '#fairway/server/kernel/database/migrate'
import { readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { createLog, type Log } from '#fairway/server/kernel/events/log'
import { copyMigratedDatabase as copyMigratedTo } from '#fairway/testing/database'
import { sampleDir } from '../../scripts/sample.mjs'

export interface TestDatabase extends Database {
  url: string
  /** The folder that holds the file; removed by `close`. */
  folder: string
}

const PLATFORM = fileURLToPath(new URL('../../layers/fairway/drizzle', import.meta.url))
const SAMPLE = join(sampleDir, 'drizzle')

/** A log that nobody reads. */
export const quietLog: Log = createLog(
  () => {},
  'error',
  () => new Date(),
)

/** The platform's migrations, up to the one of this name; without it all of them. */
export async function migrationsUpTo(last?: string): Promise<Migration[]> {
  const all = await readMigrationFolder(PLATFORM)
  return all.filter(({ name }) => last === undefined || name <= last)
}

/** Brings a database to the newest tables, the sample's too, or to the platform's of before its migration that has this text. */
export async function migrateDatabase(db: Database, before?: string): Promise<void> {
  const all = await migrationsUpTo()
  const end = all.findIndex(({ sql }) => before !== undefined && sql.includes(before))
  if (end >= 0) await migrate(db, all.slice(0, end), quietLog)
  else await migrateAll(db, { platform: all, application: await readMigrationFolder(SAMPLE) }, quietLog)
}

/** Puts a file with all tables of the application here, unless there is one; the migrations run once on a machine. */
export const copyMigratedDatabase = (path: string): Promise<void> => copyMigratedTo(sampleDir, path)

/** A database file of its own with all tables of the application; `close` removes it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-'))
  await copyMigratedDatabase(join(folder, 'test.db'))
  return openIn(folder)
}

/** A database file of its own without tables; `close` removes it. */
export async function openEmptyDatabase(options: Partial<OpenDatabaseOptions> = {}): Promise<TestDatabase> {
  return openIn(await mkdtemp(join(tmpdir(), 'fairway-')), options)
}

async function openIn(folder: string, options: Partial<OpenDatabaseOptions> = {}): Promise<TestDatabase> {
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
