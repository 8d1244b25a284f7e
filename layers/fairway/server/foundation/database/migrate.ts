import { setTimeout as sleep } from 'node:timers/promises'
import type { InStatement } from '@libsql/client'
import type { Log } from '../events/log'
import { AppError } from '../http/app-error'
import { appliedMigrations, createJournal, type Journal } from './applied-migrations'
import type { Database } from './client'
import type { Migration, ShippedMigrations } from './migration'
import { splitStatements } from './split-statements'

export type { Migration } from './migration'

interface Step {
  statement: InStatement
  /** What the step belongs to, for the message when it fails. */
  part: string
}

const LIMIT_IN_MS = 30_000
const PAUSE_IN_MS = 200

/**
 * Brings the database up to date with one journal's migrations in the order of their names, all or nothing, however many
 * processes do so at once.
 * Waits up to 30 seconds for the database; throws when a shipped migration fails or is not the one that was applied.
 */
export async function migrate(
  db: Database,
  migrations: Migration[],
  log: Log,
  journal: Journal = 'fw_migrations',
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
  const known = await appliedMigrations(db.client, journal)
  checkApplied(known, migrations, log)
  const pending = migrations.filter(({ name }) => !known.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (pending.length === 0) return { applied: [] }
  const steps = toSteps(pending, journal)
  try {
    await db.client.migrate(steps.map(({ statement }) => statement))
  } catch (error) {
    if (error instanceof AppError) throw error
    // Another process may have been faster: then its rows are what made ours fail, and what it left is for the next round.
    const now = await appliedMigrations(db.client, journal)
    if (pending.some(({ name }) => now.has(name))) return applyPending(db, migrations, log, journal)
    throw new Error(`${failedPart(error, steps)} failed: ${reasonOf(error)}`, {
      cause: error,
    })
  }
  const applied = pending.map(({ name }) => name)
  log.info('migrations applied', { applied })
  return { applied }
}

function checkApplied(known: Map<string, string>, migrations: Migration[], log: Log): void {
  const changed = migrations.filter(({ name, hash }) => known.has(name) && known.get(name) !== hash)
  if (changed.length > 0) {
    const names = changed.map(({ name }) => name).join(', ')
    throw new Error(`applied migrations were changed afterwards: ${names}; restore them and write a new one`)
  }
  const shipped = new Set(migrations.map(({ name }) => name))
  const unknown = [...known.keys()].filter(name => !shipped.has(name))
  if (unknown.length > 0) log.warn('the database has migrations that this version does not know', { unknown })
}

/**
 * One batch for all of them. The client runs it in one transaction with foreign keys off: rebuilding a table drops the old
 * one, and with them on that would delete every row that refers to it. Each migration notes its name first, so that the
 * slower of two processes fails before it changes anything.
 */
function toSteps(pending: Migration[], journal: Journal): Step[] {
  const appliedAt = Date.now()
  const steps = pending.flatMap(migration => {
    const part = `migration ${migration.name}`
    const { name, hash } = migration
    const note = {
      sql: `insert into ${journal} (name, hash, applied_at) values (?, ?, ?)`,
      args: [name, hash, appliedAt],
    }
    return [{ statement: note, part }, ...splitStatements(migration).map(statement => ({ statement, part }))]
  })
  const names = pending.map(({ name }) => name).join(', ')
  return [
    { statement: createJournal(journal), part: 'the table of migrations' },
    ...steps,
    {
      // Adds a row without a hash, which the table refuses, where a reference leads nowhere.
      statement: `insert into ${journal} (name, applied_at) select '', 0 from pragma_foreign_key_check limit 1`,
      part: `the check of references after ${names}`,
    },
  ]
}

function failedPart(error: unknown, steps: Step[]): string {
  const index = error instanceof Error && 'statementIndex' in error ? Number(error.statementIndex) : -1
  return steps[index]?.part ?? 'applying the migrations'
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Brings the database up to date with both journals: the application's tables may refer to the platform's. Throws what `migrate` throws. */
export async function migrateAll(db: Database, shipped: ShippedMigrations, log: Log): Promise<{ applied: string[] }> {
  const platform = await migrate(db, shipped.platform, log)
  const application = await migrate(db, shipped.application, log, 'fw_application_migrations')
  return { applied: [...platform.applied, ...application.applied] }
}
