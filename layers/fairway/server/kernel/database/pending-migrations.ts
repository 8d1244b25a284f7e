import type { Database } from './client'
import { type Journal, journalsOf, PLATFORM_JOURNAL } from './journals'
import type { Migration, ShippedMigrations } from './migration'

/** The names of a journal's migrations that the database does not have yet. */
export async function pendingMigrations(
  db: Database,
  migrations: Migration[],
  journal: Journal = PLATFORM_JOURNAL,
): Promise<string[]> {
  const applied = await journal.applied(db.client)
  return migrations.map(({ name }) => name).filter(name => !applied.has(name))
}

/** The names of what is missing of both journals, in the order in which it is applied. */
export async function allPending(db: Database, shipped: ShippedMigrations): Promise<string[]> {
  const journals = journalsOf(shipped)
  return [
    ...(await pendingMigrations(db, shipped.platform, journals.platform)),
    ...(await pendingMigrations(db, shipped.application, journals.application)),
  ]
}
