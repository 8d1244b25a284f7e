import { resolve } from 'node:path'
import type { Client, InArgs, InStatement } from '@libsql/client'
import type { Log } from '../events/log'
import { databaseTarget, type DatabaseTarget } from './target'
import {
  createStorageWatch,
  type StorageFault,
  type StorageWatch,
  toDatabaseError,
  withDeadline,
} from './database-error'
import { followed, followedReads, recordRead } from './followed-reads'
import { createMemories, createOwnClock, type MakeMemory, type MemoryOptions } from './memory'
import { openNativeClient } from './native-client'
import { IN_MEMORY, type ReadArgs, type ReadRows } from './native-connection'
import {
  createNativeReader,
  type Explain,
  explainAtServer,
  explainFile,
  type NativeReader,
  type RowStatement,
} from './native-reader'
import type { ReadApart } from './apart-reader'
import { createOrm, type Orm, type RowClient, rowsOf } from './orm'
import { isRehearsing, rehearsable, rehearsalClient } from './rehearsal'
import { createSerialClient, type SerialClientOptions } from './serial-client'
import type { ServerClientOptions } from './server-client'
import { withArgs } from './sql-text'

export type { InStatement, InValue, ResultSet } from '@libsql/client'
export type { ReadApart } from './apart-reader'
export type { ReadArgs, ReadRows } from './native-connection'
export type { RowStatement } from './native-reader'
export type { Memory } from './memory'
export type { Orm } from './orm'

export interface Database {
  /** Drizzle over the queued client; every write of the platform uses it. */
  orm: Orm
  /** Drizzle for reads whose cost the caller chooses, such as filters of a log: in a database file they run like `apart`. */
  ormApart: Orm
  /** The queued libSQL client itself. */
  client: RowClient
  /**
   * Prepares a read for hot paths and for everything that ends access (sessions, memberships, grants). A database file uses a
   * native prepared statement; other databases use the queued client. Beside a replica it reads from the server, because the
   * replica may still have what has ended. Rows are plain objects.
   */
  prepareRead<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** The rows of each SELECT as arrays, in one call; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /**
   * Runs several SELECTs in sequence over one state of the database, where a file makes that cheap. They run at once: `read` is
   * not asynchronous and must not throw errors unrelated to the database.
   */
  snapshot?: <T>(read: (rows: ReadRows) => T) => Promise<T>
  /**
   * Runs SELECTs of a database file while the event loop goes on, for reads whose cost the caller chooses. They see one state of
   * the database. Throws `timed-out` after ten seconds, or when the signal is aborted.
   */
  apart?: NativeReader['apart']
  /**
   * A cache of values that were read. On a file, each lookup checks with SQLite for writes, so a value is never older than a read
   * would be. At a server and beside a replica, a write of this process clears it at once, and writes of others count within a
   * second.
   */
  memory: MakeMemory
  /** Explains a statement's query plan, line by line. */
  explain: Explain
  /**
   * Resolves when the database answers within two seconds; throws `unavailable` otherwise. After a failure of its storage, a
   * database file must also accept a write.
   */
  ping(): Promise<void>
  /** The current fault of the storage, as far as a statement has met one. */
  storageFault(): StorageFault | undefined
  /** Waits for open work, then closes every connection. */
  close(): Promise<void>
}

export interface OpenDatabaseOptions {
  url: string
  authToken?: string
  /** A file for an embedded replica of the server at `url`. */
  replicaPath?: string
  /** How far that replica may be behind the writes of other processes. */
  replicaSyncInSeconds?: number
  /** False: reads from a server (or its replica) are not cached, so that writes of other processes are visible at once. */
  remembers?: boolean
  /** False: reads are not cached, each write commits separately, and drizzle maps the rows. */
  shortcuts?: boolean
  log: Log
  limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** How long one call waits for a lock that another process holds. */
  busyInMs: 5000,
  /** How long an open transaction may be idle before it is rolled back. */
  idleInMs: 5000,
  /** How long one call to a server may take, or a read of a file whose cost the caller chooses. */
  callInMs: 10_000,
}

const PING_LIMIT_IN_MS = 2000
const MEMORY_OF_SERVER_IN_MS = 1000

/** Opens the database and prepares it: a file in WAL mode with full sync, a server, or a replica after its first sync. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const limits = { ...LIMITS, ...options.limits }
  const { shortcuts = true } = options
  const target = databaseTarget(options.url, options.replicaPath)
  const file = target.kind === 'file' ? resolve(target.path) : undefined
  const watch = createStorageWatch(options.log)
  const reader = file
    ? createNativeReader({
        path: file,
        busyLimitInMs: limits.busyInMs,
        apartLimitInMs: limits.callInMs,
        watch,
      })
    : undefined
  // A rehearsal reads what it has written, which only its own transaction shows.
  const freeReader = () => (isRehearsing() ? undefined : reader)
  const ownClock = createOwnClock()
  const serial = (opened: Pick<SerialClientOptions, 'client' | 'writer'>, isSingle: boolean) =>
    createSerialClient({ ...opened, reader, isSingle, onWrite: ownClock.wrote, watch, log: options.log, ...limits })
  const client = rehearsable(
    serial(await openClient(target, { ...options, ...limits, shortcuts }), target.kind !== 'server'),
  )
  const source =
    target.kind === 'replica'
      ? rehearsable(
          serial(await openClient({ ...target, kind: 'server' }, { ...options, ...limits, shortcuts: true }), false),
        )
      : client
  return {
    orm: createOrm(client, shortcuts),
    ormApart: createOrm(reader ? apartClient(client, reader) : client, shortcuts),
    client,
    prepareRead<Row extends object>(sql: string) {
      const through = clientRead<Row>(source, sql)
      const read = reader ? reader.prepare<Row>(sql) : through
      return args => (isRehearsing() ? through(args) : followed(() => read(args)))
    },
    readRows: statements => followed(() => freeReader()?.readRows(statements) ?? clientRows(client, statements)),
    get snapshot() {
      return snapshotOf(freeReader())
    },
    get apart() {
      return apartOf(freeReader())
    },
    memory: createMemories(memoryOf(target, reader ? () => reader.clock : ownClock.of, options)),
    explain: file ? explainFile(file) : explainAtServer(client),
    ping: () => ping({ client, source, watch, isFile: file !== undefined }),
    storageFault: watch.current,
    async close() {
      await client.drain()
      reader?.close()
      client.close()
      if (source !== client) source.close()
    },
  }
}

interface Pinged {
  client: Client
  source: Client
  watch: StorageWatch
  isFile: boolean
}

async function ping({ client, source, watch, isFile }: Pinged): Promise<void> {
  const fault = watch.current()
  const look: Promise<unknown> =
    fault && isFile ? probeWrite(client) : source.execute('select 1 from sqlite_master limit 1')
  await withDeadline(look, PING_LIMIT_IN_MS).catch(error => {
    throw toDatabaseError(error)
  })
  if (fault !== 'damaged') watch.recovered()
}

const snapshotOf = (reader: NativeReader | undefined): Database['snapshot'] =>
  reader && (read => reader.snapshot(rows => read(followedRows(reader, rows))))

const apartOf = (reader: NativeReader | undefined): Database['apart'] =>
  reader && ((read, signal) => reader.apart(rows => read(followedApart(reader, rows)), signal))

/** Reads rows, and records them where a page is rendered. */
function followedRows(reader: NativeReader, rows: ReadRows): ReadRows {
  const into = followedReads()
  if (!into) return rows
  return (sql, args) => {
    const result = rows(sql, args)
    recordRead(into, [result], () => reader.readRows([{ sql, args }]))
    return result
  }
}

function followedApart(reader: NativeReader, rows: ReadApart): ReadApart {
  const into = followedReads()
  if (!into) return rows
  return async (sql, args) => {
    const result = await rows(sql, args)
    recordRead(into, result, () => reader.apart(again => again(sql, args)))
    return result
  }
}

function apartClient(client: RowClient, { selectApart }: NativeReader): RowClient {
  const execute = (statement: InStatement | string, args?: InArgs) =>
    rehearsalClient()?.execute(withArgs(statement, args)) ??
    followed(() => selectApart(withArgs(statement, args)), rowsOf)
  return { ...client, execute, rows: async statement => rowsOf(await execute(statement)) }
}

/** Rewrites a value that already exists, because only a real write shows whether the disk accepts one. */
async function probeWrite(client: Client): Promise<void> {
  const { rows } = await client.execute('select user_version from pragma_user_version')
  await client.execute(`pragma user_version = ${Number(rows[0]?.[0] ?? 0)}`)
}

function memoryOf(
  { kind }: DatabaseTarget,
  clock: MemoryOptions['clock'],
  { remembers = true, shortcuts = true }: Pick<OpenDatabaseOptions, 'remembers' | 'shortcuts'>,
): MemoryOptions {
  const isShared = kind === 'server' || kind === 'replica'
  if (!shortcuts || (isShared && !remembers)) return { clock: () => () => undefined }
  return isShared ? { clock, lifeInMs: MEMORY_OF_SERVER_IN_MS } : { clock }
}

async function openClient(
  target: DatabaseTarget,
  options: ServerClientOptions & Pick<OpenDatabaseOptions, 'replicaSyncInSeconds' | 'shortcuts'>,
): Promise<Pick<SerialClientOptions, 'client' | 'writer'>> {
  switch (target.kind) {
    case 'memory':
      return { client: await openNativeClient(IN_MEMORY) }
    case 'file': {
      const writer = await openNativeClient(resolve(target.path))
      return options.shortcuts ? { client: writer, writer } : { client: writer }
    }
    case 'replica': {
      const { openReplicaClient } = await import('./server-client')
      return { client: await openReplicaClient(target.url, target.path, options) }
    }
    case 'server': {
      const { createServerClient } = await import('./server-client')
      const { client, writer } = createServerClient(target.url, options)
      return options.shortcuts ? { client, writer } : { client }
    }
  }
}

function clientRead<Row extends object>(client: Client, sql: string): (args: ReadArgs) => Promise<Row[]> {
  return async args => {
    const { columns, rows } = await client.execute({ sql, args })
    return rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Row)
  }
}

/** Reads through the client in one call, which sees one state of the database. */
async function clientRows(client: Client, statements: readonly RowStatement[]): Promise<unknown[][][]> {
  const [only] = statements
  if (!only) return []
  const results = statements.length === 1 ? [await client.execute(only)] : await client.batch([...statements], 'read')
  return results.map(({ rows }) => rows.map(row => Array.from(row)))
}
