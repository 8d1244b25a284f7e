import { resolve } from 'node:path'
import type { Client } from '@libsql/client'
import type { Log } from '../events/log'
import { createStorageWatch, type StorageFault, toDatabaseError, withDeadline } from './database-error'
import { createMemories, createOwnClock, type MakeMemory, type MemoryOptions, type WriteClock } from './memory'
import { openNativeClient } from './native-client'
import { IN_MEMORY, type ReadArgs } from './native-connection'
import {
  createNativeReader,
  type Explain,
  explainAtServer,
  explainFile,
  type RowStatement,
  type Snapshot,
} from './native-reader'
import { createOrm, type Orm, type RowClient } from './orm'
import { createSerialClient, type SerialClientOptions } from './serial-client'
import { createServerClient, openReplicaClient } from './server-client'

export type { InStatement, InValue, ResultSet } from '@libsql/client'
export type { ReadArgs } from './native-connection'
export type { RowStatement, Snapshot } from './native-reader'
export type { Memory } from './memory'
export type { Orm } from './orm'

export interface Database {
  /** Drizzle over the queued client; every write of ours goes through it. */
  orm: Orm
  /** The queued libSQL client itself. */
  client: RowClient
  /**
   * A read for hot paths and for whatever ends access (sessions, memberships, grants): a native prepared statement for file
   * databases, the queued client elsewhere; beside a replica it asks the server, so that nothing ended is read from an old copy.
   * Rows are plain objects.
   */
  prepareRead<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** The rows of each SELECT as arrays, in one call; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /**
   * SELECTs one after another over one state of the database, where a file makes that cheap. They run at once:
   * `read` is not asynchronous and must not throw for reasons of its own.
   */
  snapshot?: <T>(read: (state: Snapshot) => T) => Promise<T>
  /**
   * A memory of what was read, for so many values. On a file each look asks SQLite whether anybody has written, so it is never
   * older than a read would be. At a server, and beside a replica, it forgets with every write of this process, and within a second those
   * of others.
   */
  memory: MakeMemory
  /** How SQLite would read a statement, line by line. */
  explain: Explain
  /**
   * Resolves when the database answers within two seconds; throws `unavailable` otherwise. After a failure of its storage a
   * database file also has to take a write.
   */
  ping(): Promise<void>
  /** What is wrong with the storage, as far as any statement has met it. */
  storageFault(): StorageFault | undefined
  /** Lets open work finish, then closes every connection. */
  close(): Promise<void>
}

export interface OpenDatabaseOptions {
  url: string
  authToken?: string
  /** A file for an embedded replica of the server at `url`. */
  replicaPath?: string
  /** How far that replica may be behind what other processes wrote. */
  replicaSyncInSeconds?: number
  /** False: nothing that was read of a server is remembered, so that what other processes write is seen at once. */
  remembers?: boolean
  /** False: nothing that was read is remembered, each write has a commit of its own, and drizzle makes its rows itself. */
  shortcuts?: boolean
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
const MEMORY_OF_SERVER_IN_MS = 1000

/** Opens the database and makes it ready: a file in WAL mode with full sync, a server, or a replica that was synced once. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const limits = { ...LIMITS, ...options.limits }
  const { shortcuts = true } = options
  const target = databaseTarget(options.url, options.replicaPath)
  const file = target.kind === 'file' ? resolve(target.path) : undefined
  const watch = createStorageWatch(options.log)
  const reader = file ? createNativeReader({ path: file, busyLimitInMs: limits.busyInMs, watch, shortcuts }) : undefined
  const own = createOwnClock()
  const serial = (opened: Pick<SerialClientOptions, 'client' | 'writer'>, isSingle: boolean) =>
    createSerialClient({ ...opened, reader, isSingle, onWrite: own.wrote, watch, log: options.log, ...limits })
  const client = serial(await openClient(target, { ...options, ...limits, shortcuts }), target.kind !== 'server')
  const source =
    target.kind === 'replica'
      ? serial({ client: createServerClient(target.url, { authToken: options.authToken, ...limits }) }, false)
      : client
  return {
    orm: createOrm(client, shortcuts),
    client,
    prepareRead: sql => (reader ? reader.prepare(sql) : clientRead(source, sql)),
    readRows: statements => (reader ? reader.readRows(statements) : clientRows(client, statements)),
    snapshot: reader?.snapshot,
    memory: createMemories(memoryOf(target, reader?.clock ?? own.now, options)),
    explain: file ? explainFile(file) : explainAtServer(client),
    async ping() {
      const fault = watch.current()
      const look: Promise<unknown> =
        fault && file ? takesWrite(client) : source.execute('select 1 from sqlite_master limit 1')
      await withDeadline(look, PING_LIMIT_IN_MS).catch(error => {
        throw toDatabaseError(error)
      })
      if (fault !== 'damaged') watch.recovered()
    },
    storageFault: watch.current,
    async close() {
      await client.drain()
      reader?.close()
      client.close()
      if (source !== client) source.close()
    },
  }
}

/** Writes what is there already: only a real write says whether the disk takes one. */
async function takesWrite(client: Client): Promise<void> {
  const { rows } = await client.execute('select user_version from pragma_user_version')
  await client.execute(`pragma user_version = ${Number(rows[0]?.[0] ?? 0)}`)
}

function memoryOf(
  { kind }: DatabaseTarget,
  clock: WriteClock,
  { remembers = true, shortcuts = true }: Pick<OpenDatabaseOptions, 'remembers' | 'shortcuts'>,
): MemoryOptions {
  const isShared = kind === 'server' || kind === 'replica'
  if (!shortcuts || (isShared && !remembers)) return { clock: () => undefined }
  return isShared ? { clock, lifeInMs: MEMORY_OF_SERVER_IN_MS } : { clock }
}

async function openClient(
  target: DatabaseTarget,
  options: Parameters<typeof createServerClient>[1] & Pick<OpenDatabaseOptions, 'replicaSyncInSeconds' | 'shortcuts'>,
): Promise<Pick<SerialClientOptions, 'client' | 'writer'>> {
  switch (target.kind) {
    case 'memory':
      return { client: await openNativeClient(IN_MEMORY) }
    case 'file': {
      const writer = await openNativeClient(resolve(target.path))
      return options.shortcuts ? { client: writer, writer } : { client: writer }
    }
    case 'replica':
      return { client: await openReplicaClient(target.url, target.path, options) }
    case 'server':
      return { client: createServerClient(target.url, options) }
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
