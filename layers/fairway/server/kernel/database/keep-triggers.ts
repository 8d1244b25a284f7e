import type { Client } from '@libsql/client'
import { quoteName } from './sql-text'

/** Returns one trigger in the form that SQLite reports: `when` is the event and table that fire it, `does` its statements. */
export const triggerSql = (name: string, when: string, does: string): string =>
  `CREATE TRIGGER ${quoteName(name)} ${when} begin ${does} end`

/**
 * Replaces the triggers whose names begin with `prefix` by the wanted ones, by name. Returns the names of those that were created.
 * Several processes may do so at once. `fill` runs in the same transaction when any is created.
 */
export async function keepTriggers(
  client: Client,
  prefix: string,
  wanted: ReadonlyMap<string, string>,
  fill: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.execute(
    `select name, sql from sqlite_schema where type = 'trigger' and name glob '${prefix}*'`,
  )
  const there = new Map(rows.map(({ name, sql }) => [String(name), String(sql)]))
  const dropped = [...there].filter(([name, text]) => wanted.get(name) !== text).map(([name]) => name)
  const missing = [...wanted].filter(([name, text]) => there.get(name) !== text)
  // Another process may start at the same moment; its triggers are replaced.
  const gone = new Set([...dropped, ...missing.map(([name]) => name)])
  const statements = [...gone].map(name => `drop trigger if exists ${quoteName(name)}`)
  statements.push(...missing.map(([, text]) => text), ...(missing.length > 0 ? fill : []))
  if (statements.length > 0) await client.batch(statements, 'write')
  return new Set(missing.map(([name]) => name))
}
