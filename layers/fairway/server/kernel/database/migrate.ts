import { setTimeout as sleep } from 'node:timers/promises'
import type { InStatement, Client } from '@libsql/client'
import type { Log } from '../events/log'
import { AppError } from '../http/app-error'
import type { App } from '../app-context'
import type { Database } from './client'
import type { StorageFault } from './database-error'
import { quoteName } from './sql-text'
import { hexHash, type Migration, type ShippedMigrations, splitStatements } from './migrations'

export type { Migration } from './migrations'

interface Step {
  statement: InStatement
  /** The part that the step is for, named in the message when it fails, and the file to look at. */
  part: string
  file: string
}

const LIMIT_IN_MS = 30_000
const PAUSE_IN_MS = 200

/**
 * Applies one journal's migrations in the order of their names, all or nothing, even when several processes start at once. Waits
 * up to 30 seconds for the database. Throws when a shipped migration fails or differs from the one that was applied.
 */
export async function migrate(
  db: Database,
  migrations: Migration[],
  log: Log,
  journal: Journal = PLATFORM_JOURNAL,
): Promise<{ applied: string[] }> {
  const deadline = performance.now() + LIMIT_IN_MS
  for (;;) {
    try {
      return await applyPending(db, migrations, log, journal)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error
      if (performance.now() > deadline)
        throw new Error(`the database stays unavailable: ${reasonOf(error.cause)}`, { cause: error })
      await sleep(PAUSE_IN_MS * (0.5 + Math.random()))
    }
  }
}

async function applyPending(
  db: Database,
  migrations: Migration[],
  log: Log,
  journal: Journal,
): Promise<{ applied: string[] }> {
  const known = await appliedOf(db.client, journal)
  checkApplied(known, migrations, log, journal)
  const pending = migrations.filter(({ name }) => !known.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (pending.length === 0) return { applied: [] }
  const ran = journal.whose === 'application' ? await appliedByDrizzle(db.client) : new Set()
  const steps = toSteps(pending, { journal, triggers: await triggersOfOurs(db.client), ran })
  try {
    await db.client.migrate(steps.map(({ statement }) => statement))
  } catch (error) {
    if (error instanceof AppError) throw error
    // Another process may have been faster. Then its rows made ours fail, and its remaining migrations are for the next round.
    const now = await appliedOf(db.client, journal)
    if (pending.some(({ name }) => now.has(name))) return applyPending(db, migrations, log, journal)
    const { part, file } = failedStep(error, steps)
    const reason = reasonOf(error)
    throw new Error(`${part} failed: ${reason}\n${cureOf(journal, reason, file)}`, { cause: error })
  }
  const applied = pending.map(({ name }) => name)
  log.info('migrations applied', { of: journal.whose, applied })
  return { applied }
}

function checkApplied(known: Map<string, string>, migrations: Migration[], log: Log, { whose }: Journal): void {
  const changed = migrations
    .filter(({ name, hash }) => known.has(name) && known.get(name) !== hash)
    .map(({ name }) => name)
  if (changed.length > 0)
    throw new Error(
      `applied migrations of the ${whose} were changed afterwards: ${changed.join(', ')}; ${CURES[whose].changed(changed)}`,
    )
  const shipped = new Set(migrations.map(({ name }) => name))
  const unknown = [...known.keys()].filter(name => !shipped.has(name))
  if (unknown.length > 0) log.warn('the database has migrations that this version does not know', { unknown })
}

const fileOf = (name: string): string => `drizzle/${name}.sql`

/** The operator's remedy for a fault, by the journal of the migration. */
const CURES = {
  platform: {
    changed: () => 'restore them and write a new one',
    taken: (name: string) =>
      `The database has ${name} already, and this name is the platform's. Nothing was changed. Rename yours with the version of your application that made it: ALTER TABLE \`${name}\` RENAME TO \`app_${name}\`, and the name in its sqliteTable(…). Then start again. Or give the platform a database of its own in DATABASE_URL.`,
    failed: () =>
      "It is the platform's; nothing of this version was applied. Start the version before again, on the same database, and report this.",
  },
  application: {
    changed: (names: readonly string[]) =>
      `give ${names.map(fileOf).join(', ')} back the text that has run here and put the change into a new migration`,
    taken: (name: string, file: string) =>
      `The database has ${name} already, and ${file} makes it again. None of the application's new migrations was applied; the platform's are. Where drizzle-kit applied that file before, restore its text; where \`drizzle-kit push\` made the table, write CREATE TABLE IF NOT EXISTS there, as \`fw adopt table\` does.`,
    failed: (file: string) =>
      `It is the application's, ${file}. None of its new migrations was applied; the platform's are. Correct that file and start again.`,
  },
} as const

/** The remedy for SQLite's reason. */
function cureOf({ whose }: Journal, reason: string, file: string): string {
  const taken = /(?:table|view|index) [`"]?(\w+)[`"]? already exists/i.exec(reason)?.[1]
  if (taken) return CURES[whose].taken(taken, file)
  // As `fw adopt table` writes it.
  const homeless = /NOT NULL constraint failed: __new_(\w+)\.org_id/.exec(reason)?.[1]
  return homeless
    ? `Rows of ${homeless} have no organization. Nothing was changed. Start the version before ${file}, create the organization that it names, then start this one.`
    : CURES[whose].failed(file)
}

/**
 * Puts all migrations into one batch. The client runs it in one transaction with foreign keys off: rebuilding a table drops the
 * old one, and foreign keys would then delete every row that refers to it. Each migration first records its name, so that the
 * slower of two processes fails before it changes anything.
 */
function toSteps(
  pending: Migration[],
  { journal, triggers, ran }: { journal: Journal; triggers: readonly string[]; ran: ReadonlySet<unknown> },
): Step[] {
  const appliedAt = Date.now()
  const steps = pending.flatMap(migration => {
    const { name, hash } = migration
    const whence = { part: `migration ${name}`, file: fileOf(name) }
    const note = {
      sql: `insert into ${journal.table} (name, hash, applied_at) values (?, ?, ?)`,
      args: [name, hash, appliedAt],
    }
    const statements = ran.has(hexHash(migration)) ? [] : splitStatements(migration)
    return [note, ...statements].map(statement => ({ statement, ...whence }))
  })
  const names = pending.map(({ name }) => name).join(', ')
  const file = pending.map(({ name }) => fileOf(name)).join(', ')
  return [
    { statement: createJournal(journal), part: 'the table of migrations', file },
    ...triggers.map(statement => ({ statement, part: 'taking triggers away', file })),
    ...steps,
    {
      // Adds a row without a hash, which the table refuses, if a reference has no target.
      statement: `insert into ${journal.table} (name, applied_at) select '', 0 from pragma_foreign_key_check limit 1`,
      part: `the check of references after ${names}`,
      file,
    },
  ]
}

/**
 * Returns the statements that drop the triggers which each start creates again: SQLite refuses to drop a column that a trigger
 * names.
 */
async function triggersOfOurs(client: Client): Promise<string[]> {
  const { rows } = await client.execute(
    "select name from sqlite_schema where type = 'trigger' and (name glob 'fw_total_*' or name glob 'fw_file_*' or name glob 'fw_fold_*' or name glob 'fw_plan_*')",
  )
  return rows.map(({ name }) => `drop trigger if exists ${quoteName(String(name))}`)
}

/** The hashes of what drizzle's own migrator has applied, in an application that is older than the platform in it. */
async function appliedByDrizzle(client: Client): Promise<ReadonlySet<unknown>> {
  const sql = "select 1 from sqlite_schema where type = 'table' and name = '__drizzle_migrations'"
  if ((await client.execute(sql)).rows.length === 0) return new Set()
  const { rows } = await client.execute('select hash from __drizzle_migrations')
  return new Set(rows.map(({ hash }) => hash))
}

function failedStep(error: unknown, steps: Step[]): Pick<Step, 'part' | 'file'> {
  const index = error instanceof Error && 'statementIndex' in error ? Number(error.statementIndex) : -1
  return steps[index] ?? { part: 'applying the migrations', file: steps.at(-1)?.file ?? '' }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Applies both journals: the application's tables may refer to the platform's. Throws what `migrate` throws. */
export async function migrateAll(db: Database, shipped: ShippedMigrations, log: Log): Promise<{ applied: string[] }> {
  const platform = await migrate(db, shipped.platform, log)
  const application = await migrate(db, shipped.application, log, APPLICATION_JOURNAL)
  return { applied: [...platform.applied, ...application.applied] }
}

/** A record of applied migrations: the platform's, or those of the application. Either may receive new ones at any time. */
interface Journal {
  table: 'fw_migrations' | 'fw_application_migrations'
  whose: 'platform' | 'application'
}

const PLATFORM_JOURNAL: Journal = { table: 'fw_migrations', whose: 'platform' }
const APPLICATION_JOURNAL: Journal = { table: 'fw_application_migrations', whose: 'application' }

/** Returns the statement that creates a journal's table if it is missing. */
const createJournal = ({ table }: Journal) => `create table if not exists ${table} (
  name text primary key not null,
  hash text not null,
  applied_at integer not null
)`

/** The first migration of the pre-releases, which cannot be upgraded. */
const OF_PRE_RELEASE = '0000_foundation'

/** Returns the hash of every applied migration by its name; empty for a new database. Throws for a database of a pre-release. */
async function appliedOf(client: Client, { table, whose }: Journal): Promise<Map<string, string>> {
  const tables = await client.execute({
    sql: "select name from sqlite_master where type = 'table' and name = ?",
    args: [table],
  })
  if (tables.rows.length === 0) return new Map()
  const { rows } = await client.execute(`select name, hash from ${table}`)
  const applied = new Map(rows.map(row => [String(row.name), String(row.hash)]))
  if (whose === 'platform' && applied.has(OF_PRE_RELEASE))
    throw new Error(
      'This database was made by a pre-release of Fairway, which this version can’t read. Nothing was changed: use a new database, or the version that made this one.',
    )
  return applied
}

/** The names of a journal's migrations that the database does not have yet. */
export async function pendingMigrations(
  db: Database,
  migrations: Migration[],
  journal: Journal = PLATFORM_JOURNAL,
): Promise<string[]> {
  const applied = await appliedOf(db.client, journal)
  return migrations.map(({ name }) => name).filter(name => !applied.has(name))
}

/** Returns the names of the missing migrations of both journals, in the order of application. */
export async function allPending(db: Database, shipped: ShippedMigrations): Promise<string[]> {
  return [
    ...(await pendingMigrations(db, shipped.platform)),
    ...(await pendingMigrations(db, shipped.application, APPLICATION_JOURNAL)),
  ]
}

interface Readiness {
  status: 'ready' | 'not-ready'
  checks: {
    database: 'ok' | 'failed' | StorageFault
    migrations: 'ok' | 'pending' | 'unknown'
    stopping: boolean
    devAccount?: 'refused'
  }
}

/**
 * Returns whether the database answers and has every shipped migration, the platform's and the application's. Causes are logged
 * and not returned.
 */
export async function readiness(app: App, shipped: ShippedMigrations, stopping: boolean): Promise<Readiness> {
  const checks: Readiness['checks'] = { database: 'failed', migrations: 'unknown', stopping }
  try {
    await app.db.ping()
    checks.database = app.db.storageFault() ?? 'ok'
    checks.migrations = (await allPending(app.db, shipped)).length === 0 ? 'ok' : 'pending'
  } catch (error) {
    checks.database = app.db.storageFault() ?? 'failed'
    // The log already contains a fault of the storage.
    if (checks.database === 'failed') app.log.error('readiness check failed', { error })
  }
  const isReady = checks.database === 'ok' && checks.migrations === 'ok' && !stopping
  return { status: isReady ? 'ready' : 'not-ready', checks }
}
