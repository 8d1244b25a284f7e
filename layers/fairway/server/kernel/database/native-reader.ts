// The native library never ends an EXPLAIN: its connection keeps reading the state of that moment, so each EXPLAIN opens a
// separate connection.
import { type Client, type InStatement, LibsqlError, type ResultSet } from '@libsql/client/sqlite3'
import NativeDatabase from 'libsql'
import { type StorageWatch, toDatabaseError } from './database-error'
import type { WriteClock } from './memory'
import { retryBusy } from './mutex'
import { rowsOf } from './orm'
import { type ApartReader, createApartReader } from './apart-reader'
import {
  type Connection,
  createNativeConnection,
  type NativeConnection,
  type ReadArgs,
  type ReadRows,
  toNativeArgs,
} from './native-connection'
import { rowShape, toResult } from './result-set'
import { textOf, withArgs } from './sql-text'

/** How soon a read notices that another file has replaced the database. */
const LOOK_EVERY_IN_MS = 100

/** A SELECT with its positional arguments. */
export interface RowStatement {
  sql: string
  args: ReadArgs
}

/** Reads of a database file; each throws `unavailable` when a lock persists or the database is closed. */
export interface NativeReader {
  prepare<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /**
   * Runs SELECTs like the client; several of them see one state of the database. A single one that searches texts leaves the
   * event loop free.
   */
  select(statements: readonly InStatement[]): Promise<ResultSet[]>
  /** Returns the rows of a SELECT as arrays, with the values that the client would return. */
  rows(statement: InStatement): Promise<unknown[][]>
  /** The rows of each SELECT as arrays; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /** Runs `read` over one state of the database; it must not throw errors unrelated to the database. */
  snapshot<T>(read: (rows: ReadRows) => T): Promise<T>
  /** Runs one SELECT like the client, with the limit of `apart`. */
  selectApart(statement: InStatement): Promise<ResultSet>
  /** Runs `read` like a snapshot while the event loop goes on; throws `timed-out` after the limit or when the signal is aborted. */
  apart: ApartReader['run']
  /** The state of the file at this moment; undefined while it cannot be read. */
  clock: WriteClock
  close(): void
}

interface NativeReaderOptions {
  path: string
  busyLimitInMs: number
  /** How long a read may take whose cost the caller chooses. */
  apartLimitInMs: number
  watch: StorageWatch
}

/**
 * Creates a second connection to a database file, which only reads: its statements do not wait for an open transaction. It uses
 * the writer's native library: another copy of SQLite in this process would drop the locks of the first.
 */
export function createNativeReader(options: NativeReaderOptions): NativeReader {
  const { path, busyLimitInMs, apartLimitInMs, watch } = options
  // After a failure a statement may keep an old snapshot, so the next read opens a new connection.
  const reader = createNativeConnection({
    path,
    setup: 'pragma query_only = on',
    isSpoiledBy: () => true,
    lookEveryInMs: LOOK_EVERY_IN_MS,
  })
  const apart = createApartReader({ path, busyLimitInMs, limitInMs: apartLimitInMs })

  const read = <T>(run: (connection: Connection) => T): Promise<T> =>
    converting(retryBusy(async () => reader.use(run), performance.now() + busyLimitInMs))

  async function converting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      // A statement that would write here is the caller's fault, not the file's.
      if (error instanceof LibsqlError && error.extendedCode === 'SQLITE_READONLY') throw error
      watch.failed(error)
      throw toDatabaseError(error)
    }
  }

  const readAll = (statements: readonly InStatement[]) =>
    read(connection => eachIn(connection, statements, connection.execute))

  const selectApart = (statement: InStatement): Promise<ResultSet> => converting(selectIn(apart, statement))

  return {
    prepare<Row extends object>(sql: string) {
      if (!isSearch(sql)) return args => read(({ objects }) => objects(sql, args) as Row[])
      return async args => (await selectApart({ sql, args })).rows.map(row => ({ ...row }) as Row)
    },
    async select(statements) {
      const [only] = statements
      return only && statements.length === 1 && isSearch(only) ? [await selectApart(only)] : readAll(statements)
    },
    rows: async statement =>
      isSearch(statement) ? rowsOf(await selectApart(statement)) : read(({ rows }) => rows(statement)),
    readRows: statements =>
      read(connection => eachIn(connection, statements, ({ sql, args }) => connection.arrays(sql, args))),
    snapshot: run => read(connection => inTransaction(connection, () => run(connection.arrays))),
    selectApart,
    apart: (run, signal) => converting(apart.run(run, signal)),
    clock: createFileClock(reader),
    close() {
      apart.close()
      reader.close()
    },
  }
}

/** Matches statements that search or fold texts, so that their cost grows with what people store and seek. */
const SEARCH = /\b(?:instr|glob|like|fw_fold)\b/i
const isSearch = (statement: InStatement): boolean => SEARCH.test(textOf(statement))

async function selectIn(apart: ApartReader, statement: InStatement): Promise<ResultSet> {
  const { sql, args } = withArgs(statement)
  const { rows, columns } = await apart.select(sql, toNativeArgs(args))
  const shape = rowShape(columns)
  return toResult(shape, rows.map(shape.toRow))
}

// `data_version` is specific to its connection: a new connection may begin with the number that the last one ended with.
function createFileClock(reader: NativeConnection): WriteClock {
  let seen: { connection?: Connection; version?: unknown } = {}
  let state = 0
  // Every request reads the clock; reading one row takes two thirds of the time of reading a list of rows.
  const statements = new WeakMap<Connection, NativeDatabase.Statement>()
  const versionOf = (connection: Connection): unknown => {
    const statement = statements.get(connection) ?? connection.database.prepare('pragma data_version').raw(true)
    statements.set(connection, statement)
    const row: unknown = statement.get([])
    return Array.isArray(row) ? row[0] : undefined
  }
  return () => {
    try {
      const now = reader.use(connection => ({ connection, version: versionOf(connection) }))
      if (now.connection !== seen.connection || now.version !== seen.version) state += 1
      seen = now
      return state
    } catch {
      return undefined
    }
  }
}

function eachIn<S, T>(connection: Connection, statements: readonly S[], run: (statement: S) => T): T[] {
  const runAll = () => statements.map(statement => run(statement))
  return statements.length === 1 ? runAll() : inTransaction(connection, runAll)
}

// A failure drops the connection, and the transaction with it.
function inTransaction<T>({ database }: Connection, read: () => T): T {
  database.exec('begin')
  const answer = read()
  database.exec('commit')
  return answer
}

/** Returns the query plan of a statement: the lines of EXPLAIN QUERY PLAN. Values do not matter. */
export type Explain = (sql: string) => Promise<string[]>

/**
 * For a database file. The library never ends an EXPLAIN, and its connection would read an old state from then on. Each EXPLAIN
 * therefore has a separate connection.
 */
export const explainFile =
  (path: string): Explain =>
  async sql => {
    const database = new NativeDatabase(path)
    try {
      const statement = database.prepare(`explain query plan ${sql}`).raw(true)
      return (statement.all(nothingFor(sql)) as unknown[][]).map(detailOf)
    } finally {
      database.close()
    }
  }

/** For a libSQL server or a database in memory, which have no local file. */
export const explainAtServer =
  (client: Client): Explain =>
  async sql => {
    const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: nothingFor(sql) })
    return rows.map(row => detailOf(Array.from(row)))
  }

const nothingFor = (sql: string): null[] => Array.from(sql.matchAll(/\?/g), () => null)

const detailOf = (row: readonly unknown[]): string => String(row[3])
