import type { Client } from '@libsql/client'
import { formerly } from './former-migrations'
import type { Migration, ShippedMigrations } from './migration'

/** Where applied migrations are noted: the platform's own, and those of the application on it. Either may get new ones at any time. */
export interface Journal {
  table: 'fw_migrations' | 'fw_application_migrations'
  whose: 'platform' | 'application'
  /** The hash of every migration of these that the database has, by its name; empty for a new database. */
  applied(client: Client): Promise<Map<string, string>>
  /** What a migration once was, where its text was changed after it had run somewhere. */
  formerly(migration: Migration): Migration | undefined
}

/** The platform's journal, where nothing of an application's can be in it. */
export const PLATFORM_JOURNAL: Journal = {
  table: 'fw_migrations',
  whose: 'platform',
  applied: client => rowsOf(client, 'fw_migrations'),
  formerly,
}

/**
 * Both journals, in the order in which they run. An application that once kept its migrations beside the platform's, in one
 * journal, has them in `fw_migrations` for good: the same name there counts as the application's, whatever runs next.
 */
export function journalsOf({ platform, application }: ShippedMigrations): { platform: Journal; application: Journal } {
  const names = new Set(application.map(({ name }) => name))
  for (const { name } of platform) names.delete(name)
  const shared = async (client: Client, isApplications: boolean) =>
    [...(await rowsOf(client, 'fw_migrations'))].filter(([name]) => names.has(name) === isApplications)
  return {
    platform: { ...PLATFORM_JOURNAL, applied: async client => new Map(await shared(client, false)) },
    application: {
      table: 'fw_application_migrations',
      whose: 'application',
      formerly: () => undefined,
      applied: async client =>
        new Map([...(await shared(client, true)), ...(await rowsOf(client, 'fw_application_migrations'))]),
    },
  }
}

/** The statement that makes a journal's table where there is none. */
export const createJournal = ({ table }: Journal) => `create table if not exists ${table} (
  name text primary key not null,
  hash text not null,
  applied_at integer not null
)`

async function rowsOf(client: Client, table: Journal['table']): Promise<Map<string, string>> {
  const tables = await client.execute({
    sql: "select name from sqlite_master where type = 'table' and name = ?",
    args: [table],
  })
  if (tables.rows.length === 0) return new Map()
  const { rows } = await client.execute(`select name, hash from ${table}`)
  return new Map(rows.map(row => [String(row.name), String(row.hash)]))
}
