import { appliedMigrations } from './applied-migrations'
import type { Database } from './client'
import type { Migration } from './migration'

/** The names of the migrations that the database does not have yet. */
export async function pendingMigrations(db: Database, migrations: Migration[]): Promise<string[]> {
  const applied = await appliedMigrations(db.client)
  return migrations.map(({ name }) => name).filter(name => !applied.has(name))
}
