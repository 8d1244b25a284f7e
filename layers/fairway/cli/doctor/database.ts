import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { platformDir } from '../../modules/registry/roots'
import { type Database, openDatabase } from '../../server/kernel/database/client'
import { databaseTarget } from '../../server/kernel/database/target'
import { allPending } from '../../server/kernel/database/migrate'
import { readMigrationFolder } from '../../server/kernel/database/migrations'
import { reasonOf } from '../mcp/endpoint'
import { type Check, fault, type Found, ok, type CheckInput, quietLog, warning } from './check'

/** Opens the database for the work and closes it afterwards; undefined when it does not exist yet, because this creates none. */
async function withDatabase<T>(
  { root, config }: CheckInput,
  work: (db: Database) => Promise<T>,
): Promise<T | undefined> {
  const { url, replicaPath } = config.database
  const target = databaseTarget(url, replicaPath)
  if (target.kind === 'file' && !existsSync(resolve(root, target.path))) return undefined
  const log = quietLog()
  const db = await openDatabase({ ...config.database, log })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export const database: Check = {
  name: 'database',
  async run(input) {
    const target = databaseTarget(input.config.database.url, input.config.database.replicaPath)
    const place = 'path' in target ? target.path : new URL(target.url).host
    try {
      return (await withDatabase(input, db => lookInto(db, target.kind, place))) ?? (await notYet(input, place))
    } catch (error) {
      return fault(
        `${place} does not answer: ${reasonOf(error)}`,
        target.kind === 'file'
          ? 'See whether this user may read and write the file and its folder, and whether the disk is full.'
          : 'See whether DATABASE_URL is right, DATABASE_AUTH_TOKEN is of this database, and its server runs.',
      )
    }
  },
}

async function lookInto(db: Database, kind: string, place: string): Promise<Found> {
  const began = performance.now()
  await db.ping()
  const took = Math.round(performance.now() - began)
  const writing = await db.client.transaction('write')
  try {
    // Rolled back: this only checks for the permission to write.
    await writing.execute('create table fw_doctor (at integer)')
  } finally {
    await writing.rollback()
  }
  if (kind !== 'file') return ok(`${place} answers within ${took} ms and can be written`)
  const { rows } = await db.client.execute('pragma journal_mode')
  const mode = String(rows[0]?.journal_mode ?? rows[0]?.[0])
  return mode === 'wal'
    ? ok(`${place} can be written, journal mode wal`)
    : warning(
        `${place} has the journal mode ${mode}`,
        'Put the file on a local disk: WAL does not work on network file systems.',
      )
}

async function notYet({ root, config }: CheckInput, place: string): Promise<Found> {
  const folder = dirname(resolve(root, place))
  const nearest = existsSync(folder) ? folder : dirname(folder)
  const mayWrite = await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!mayWrite)
    return fault(
      `${place} is not there, and ${nearest} cannot be written`,
      'Give this user the folder, or set FW_DATA_DIR.',
    )
  const text = `${place} is not there yet`
  return config.environment === 'production'
    ? warning(
        text,
        'The first start makes it; if there should be one, see whether FW_DATA_DIR or DATABASE_URL is right.',
      )
    : ok(`${text}: the first start makes it`)
}

export const migrations: Check = {
  name: 'migrations',
  async run(input) {
    const shipped = {
      platform: await readMigrationFolder(join(platformDir, 'drizzle')),
      application: await readMigrationFolder(join(input.root, 'drizzle')),
    }
    const pending = await withDatabase(input, db => allPending(db, shipped))
    const all = shipped.platform.length + shipped.application.length
    if (!pending) return ok(`${all} will be applied by the first start`)
    if (pending.length === 0) return ok(`all ${all} are applied`)
    return warning(
      `${pending.length} are not applied: ${pending.join(', ')}`,
      'Start the application: it applies them before it answers.',
    )
  },
}

/** Returns how far the clock of a database server is ahead; null for a file, because it uses this machine's clock. */
export async function databaseClock(input: CheckInput): Promise<number | null> {
  if (databaseTarget(input.config.database.url, input.config.database.replicaPath).kind !== 'server') return null
  const read = (db: Database) => db.client.execute(`select cast(strftime('%s', 'now') as integer) as now`)
  const answer = await withDatabase(input, read)
  return answer ? Math.round(Number(answer.rows[0]?.now) - Date.now() / 1000) : null
}
