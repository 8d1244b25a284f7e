import { createClient, type InValue, type Row } from '@libsql/client'
import { join } from 'node:path'
import type { App } from '#server/foundation/app-context'
import type { TestServer } from './server'

type Place = Pick<App, 'db'> | Pick<TestServer, 'dataDir'>

/** Runs one statement on the database of an app or of a test's server, and gives its rows; on a server's file it waits for a lock so many milliseconds. */
export async function query(place: Place, sql: string, args: InValue[] = [], lockLimitInMs = 5000): Promise<Row[]> {
  if ('db' in place) return (await place.db.client.execute({ sql, args })).rows
  const client = createClient({ url: `file:${join(place.dataDir, 'fairway.db')}`, timeout: lockLimitInMs })
  try {
    return (await client.execute({ sql, args })).rows
  } finally {
    client.close()
  }
}

/** How many rows there are in a table; a condition may follow its name. */
export async function countRows(place: Place, from: string, args: InValue[] = []): Promise<number> {
  const [row] = await query(place, `select count(*) as n from ${from}`, args)
  return Number(row?.n)
}
