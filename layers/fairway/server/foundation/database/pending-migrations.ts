import { appliedMigrations, type Journal } from './applied-migrations'
import type { Database } from './client'
import type { Migration, ShippedMigrations } from './migration'

/** The names of a journal's migrations that the database does not have yet. */
export async function pendingMigrations(
  db: Database,
  migrations: Migration[],
  journal: Journal = 'fw_migrations',
): Promise<string[]> {
  const applied = await appliedMigrations(db.client, journal)
  return migrations.map(({ name }) => name).filter(name => !applied.has(name))
}

/** The names of what is missing of both journals, in the order in which it is applied. */
export const allPending = async (db: Database, { platform, application }: ShippedMigrations): Promise<string[]> => [
  ...(await pendingMigrations(db, platform)),
  ...(await pendingMigrations(db, application, 'fw_application_migrations')),
]
