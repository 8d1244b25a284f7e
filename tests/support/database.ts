import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase, type OpenDatabaseOptions } from '#fairway/server/kernel/database/client'
import { migrateAll, type Migration } from '#fairway/server/kernel/database/migrate'
import { readMigrationFolder } from '#fairway/server/kernel/database/migrations'
import { createLog, type Log } from '#fairway/server/kernel/events/log'
import { copyMigratedDatabase as copyMigratedTo } from '#fairway/testing/database'
import { sampleDir } from '../../scripts/sample.mjs'

export interface TestDatabase extends Database {
  url: string
  /** The folder that holds the file. `close` deletes it. */
  folder: string
}

const PLATFORM = fileURLToPath(new URL('../../layers/fairway/drizzle', import.meta.url))
const SAMPLE = join(sampleDir, 'drizzle')

/** A log that discards its entries. */
export const quietLog: Log = createLog(
  () => {},
  'error',
  () => new Date(),
)

/** The platform's migrations. */
export const platformMigrations = (): Promise<Migration[]> => readMigrationFolder(PLATFORM)

/** Migrates a database to the newest tables, including the sample's. */
export const migrateDatabase = async (db: Database): Promise<unknown> =>
  migrateAll(db, { platform: await platformMigrations(), application: await readMigrationFolder(SAMPLE) }, quietLog)

/** Puts a database file with all tables at this path, unless one exists. The migrations run once per machine. */
export const copyMigratedDatabase = (path: string): Promise<void> => copyMigratedTo(sampleDir, path)

/** A separate database file with all tables of the application. `close` deletes it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-'))
  await copyMigratedDatabase(join(folder, 'test.db'))
  return openIn(folder)
}

/** A separate database file without tables. `close` deletes it. */
export async function openEmptyDatabase(options: Partial<OpenDatabaseOptions> = {}): Promise<TestDatabase> {
  return openIn(await mkdtemp(join(tmpdir(), 'fairway-')), options)
}

async function openIn(folder: string, options: Partial<OpenDatabaseOptions> = {}): Promise<TestDatabase> {
  const url = `file:${join(folder, 'test.db')}`
  const db = await openDatabase({ url, log: quietLog, ...options })
  const close = async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
  // Some members are getters, which a copy would read only once.
  const members = Object.getOwnPropertyDescriptors(db)
  return Object.assign(Object.defineProperties({}, { ...members, close: { value: close, enumerable: true } }), {
    url,
    folder,
  }) as TestDatabase
}
