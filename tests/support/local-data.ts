import { createClient, type InValue } from '@libsql/client'
import { join } from 'node:path'
import type { TestServer } from './server'

/** Runs one statement on the database file of a test's server; `timeout` is how many milliseconds it waits for a lock. */
export async function queryDatabase(
  server: Pick<TestServer, 'dataDir'>,
  sql: string,
  args: InValue[] = [],
  timeout = 5000,
) {
  const client = createClient({ url: `file:${join(server.dataDir, 'fairway.db')}`, timeout })
  try {
    return (await client.execute({ sql, args })).rows
  } finally {
    client.close()
  }
}
