import { resolve } from 'node:path'
import type { Client } from '@libsql/client'
import type { Log } from '../events/log'
import { toDatabaseError } from './database-error'
import { withDeadline } from './deadline'
import { type Explain, explainAtServer, explainFile } from './explain'
import { openLink } from './open-link'
import { createNativeReader } from './native-reader'
import { createOrm, type Orm } from './orm'
import { clientRows, type ReadArgs, type RowStatement } from './row-statement'
import type { Snapshot } from './snapshot'
import { createSerialClient } from './serial-client'
import { databaseTarget } from './target'
import { createTurns } from './turns'

export type { InStatement, InValue, ResultSet } from '@libsql/client'
export type { Orm } from './orm'
export type { ReadArgs, RowStatement } from './row-statement'
export type { Snapshot } from './snapshot'

export interface Database {
  /** Drizzle over the queued client; every write of ours goes through it. */
  orm: Orm
  /** The queued libSQL client itself. */
  client: Client
  /** A read for hot paths: a native prepared statement for file databases, the queued client elsewhere. Rows are plain objects. */
  prepareRead<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** The rows of each SELECT as arrays, in one call; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /**
   * SELECTs one after another over one state of the database, where a file makes that cheap. They run at once:
   * `read` is not asynchronous and must not throw for reasons of its own.
   */
  snapshot?: <T>(read: (state: Snapshot) => T) => Promise<T>
  /** How SQLite would read a statement, line by line. */
  explain: Explain
  /** Resolves when the database answers within two seconds; throws `unavailable` otherwise. */
  ping(): Promise<void>
  /** Lets open work finish, then closes every connection. */
  close(): Promise<void>
}

export interface OpenDatabaseOptions {
  url: string
  authToken?: string
  /** A file for an embedded replica of the server at `url`. */
  replicaPath?: string
  log: Log
  limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** How long one call waits for a lock that another process holds. */
  busyInMs: 5000,
  /** How long an open transaction may lie idle before it is rolled back. */
  idleInMs: 5000,
  /** How long one call to a server may take. */
  callInMs: 10_000,
}

const PING_LIMIT_IN_MS = 2000

/** Opens the database and makes it ready: a file in WAL mode with full sync, a server, or a replica that was synced once. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, authToken, replicaPath, log } = options
  const limits = { ...LIMITS, ...options.limits }
  const target = databaseTarget(url, replicaPath)
  const link = await openLink(target, { authToken, callLimitInMs: limits.callInMs })
  const turns = createTurns(link, limits.busyInMs)
  const reader = target.kind === 'file' ? createNativeReader(resolve(target.path), limits.busyInMs) : undefined
  const client = createSerialClient({ link, turns, reader, log, idleLimitInMs: limits.idleInMs })
  return {
    orm: createOrm(client),
    client,
    prepareRead: sql => (reader ? reader.prepare(sql) : clientRead(client, sql)),
    readRows: statements => (reader ? reader.readRows(statements) : clientRows(client, statements)),
    snapshot: reader?.snapshot,
    explain: target.kind === 'file' ? explainFile(resolve(target.path)) : explainAtServer(client),
    async ping() {
      await withDeadline(client.execute('select 1'), PING_LIMIT_IN_MS).catch(error => {
        throw toDatabaseError(error)
      })
    },
    async close() {
      await turns.drain()
      reader?.close()
      client.close()
    },
  }
}

function clientRead<Row extends object>(client: Client, sql: string): (args: ReadArgs) => Promise<Row[]> {
  return async args => {
    const { columns, rows } = await client.execute({ sql, args })
    return rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Row)
  }
}
