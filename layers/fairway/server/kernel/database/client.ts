import { resolve } from 'node:path'
import type { Client } from '@libsql/client'
import type { Log } from '../events/log'
import { toDatabaseError, withDeadline } from './database-error'
import { IN_MEMORY, openNativeClient } from './native-client'
import type { ReadArgs } from './native-connection'
import {
  createNativeReader,
  type Explain,
  explainAtServer,
  explainFile,
  type RowStatement,
  type Snapshot,
} from './native-reader'
import { createOrm, type Orm } from './orm'
import { createSerialClient } from './serial-client'
import { createServerClient, openReplicaClient } from './server-client'

export type { InStatement, InValue, ResultSet } from '@libsql/client'
export type { ReadArgs } from './native-connection'
export type { RowStatement, Snapshot } from './native-reader'
export type { Orm } from './orm'

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
  const limits = { ...LIMITS, ...options.limits }
  const target = databaseTarget(options.url, options.replicaPath)
  const file = target.kind === 'file' ? resolve(target.path) : undefined
  const reader = file ? createNativeReader(file, limits.busyInMs) : undefined
  const client = createSerialClient({
    client: await openClient(target, { authToken: options.authToken, ...limits }),
    reader,
    isSingle: target.kind !== 'server',
    log: options.log,
    ...limits,
  })
  return {
    orm: createOrm(client),
    client,
    prepareRead: sql => (reader ? reader.prepare(sql) : clientRead(client, sql)),
    readRows: statements => (reader ? reader.readRows(statements) : clientRows(client, statements)),
    snapshot: reader?.snapshot,
    explain: file ? explainFile(file) : explainAtServer(client),
    async ping() {
      await withDeadline(client.execute('select 1'), PING_LIMIT_IN_MS).catch(error => {
        throw toDatabaseError(error)
      })
    },
    async close() {
      await client.drain()
      reader?.close()
      client.close()
    },
  }
}

function openClient(
  target: DatabaseTarget,
  options: Parameters<typeof createServerClient>[1],
): Promise<Client> | Client {
  switch (target.kind) {
    case 'memory':
      return openNativeClient(IN_MEMORY)
    case 'file':
      return openNativeClient(resolve(target.path))
    case 'replica':
      return openReplicaClient(target.url, target.path, options.authToken)
    case 'server':
      return createServerClient(target.url, options)
  }
}

function clientRead<Row extends object>(client: Client, sql: string): (args: ReadArgs) => Promise<Row[]> {
  return async args => {
    const { columns, rows } = await client.execute({ sql, args })
    return rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Row)
  }
}

/** Where the data is, and so how it is reached. */
type DatabaseTarget =
  | { kind: 'memory'; url: string }
  | { kind: 'file'; url: string; path: string }
  | { kind: 'server'; url: string }
  | { kind: 'replica'; url: string; path: string }

const MEMORY_URL = /^(file:)?:memory:(\?.*)?$/
const FILE_URL = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]+)/

/** Tells from the address how a database is reached; throws for a file address without a path. */
export function databaseTarget(url: string, replicaPath?: string): DatabaseTarget {
  if (MEMORY_URL.test(url)) return { kind: 'memory', url }
  if (!url.startsWith('file:'))
    return replicaPath ? { kind: 'replica', url, path: replicaPath } : { kind: 'server', url }
  const path = FILE_URL.exec(url)?.[1]
  if (!path) throw new Error('the database address names no file')
  return { kind: 'file', url, path: decodeURIComponent(path) }
}

/** Reads through the client: one call, which sees one state of the database. */
async function clientRows(client: Client, statements: readonly RowStatement[]): Promise<unknown[][][]> {
  const [only] = statements
  if (!only) return []
  const results = statements.length === 1 ? [await client.execute(only)] : await client.batch([...statements], 'read')
  return results.map(({ rows }) => rows.map(row => Array.from(row)))
}
