import type { Client } from '@libsql/client'

/** The table of applied migrations; made by the first of them. */
export const CREATE_MIGRATIONS_TABLE = `create table if not exists fw_migrations (
  name text primary key not null,
  hash text not null,
  applied_at integer not null
)`

/** The hash of every applied migration by its name; empty for a new database. */
export async function appliedMigrations(client: Client): Promise<Map<string, string>> {
  const tables = await client.execute("select name from sqlite_master where type = 'table' and name = 'fw_migrations'")
  if (tables.rows.length === 0) return new Map()
  const { rows } = await client.execute('select name, hash from fw_migrations')
  return new Map(rows.map(row => [String(row.name), String(row.hash)]))
}
