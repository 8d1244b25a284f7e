import type { Client } from '@libsql/client'
import { drizzle, type LibSQLDatabase, LibSQLPreparedQuery } from 'drizzle-orm/libsql'

/** The query builder: `db.select().from(table)`. It knows no schema; statements name their tables. */
export type Orm = LibSQLDatabase<Record<string, never>>

// Drizzle would wrap every failure in an error whose text holds the parameters: tokens and addresses would reach the log.
// What the client throws is passed on as it is.
Object.assign(LibSQLPreparedQuery.prototype, {
  queryWithCache: <T>(_sql: string, _params: unknown[], query: () => Promise<T>): Promise<T> => query(),
})

/** Drizzle over a client. */
export const createOrm = (client: Client): Orm => drizzle({ client })
