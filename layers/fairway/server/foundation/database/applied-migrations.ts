import type { Client } from '@libsql/client'

/** Where applied migrations are noted: the platform's own, and those of the application on it. Either may get new ones at any time. */
export type Journal = 'fw_migrations' | 'fw_application_migrations'

/** The statement that makes a journal where there is none. */
export const createJournal = (journal: Journal) => `create table if not exists ${journal} (
  name text primary key not null,
  hash text not null,
  applied_at integer not null
)`

/** The hash of every migration that a journal notes, by its name; empty for a new database. */
export async function appliedMigrations(client: Client, journal: Journal): Promise<Map<string, string>> {
  const tables = await client.execute({
    sql: "select name from sqlite_master where type = 'table' and name = ?",
    args: [journal],
  })
  if (tables.rows.length === 0) return new Map()
  const { rows } = await client.execute(`select name, hash from ${journal}`)
  return new Map(rows.map(row => [String(row.name), String(row.hash)]))
}
