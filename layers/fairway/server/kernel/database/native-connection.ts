// Numbers are bound as REAL. Comparing and limiting still work; `typeof(?)` does not.
import { statSync } from 'node:fs'
import {
  type InArgs,
  type InStatement,
  type InValue,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
} from '@libsql/client/sqlite3'
import NativeDatabase from 'libsql'
import { createCache } from '../cache'
import { type NativeValue, rowShape, toResult, toValue } from './result-set'
import { withArgs } from './sql-text'

/** How long SQLite itself waits for a lock. The wait stops the event loop, so `retryBusy` does the rest. */
export const LOCK_WAIT_IN_MS = 10
export const IN_MEMORY = ':memory:'

export type ReadArgs = (string | number | null)[]

/** Runs one SELECT; its rows are arrays in the order of its columns. */
export type ReadRows = (sql: string, args: ReadArgs) => unknown[][]

/** One open connection of the native library with its most recently used statements; each is prepared once. */
export interface Connection {
  database: NativeDatabase.Database
  /** Runs one statement, like the libSQL client. */
  execute(statement: InStatement): ResultSet
  /** Returns the rows of a SELECT as arrays, with the values of `execute`. */
  rows(statement: InStatement): unknown[][]
  /** Reads the rows of a SELECT as arrays, with the values of the native library. */
  arrays: ReadRows
  /** The rows of a SELECT as plain objects. */
  objects(sql: string, args: ReadArgs): object[]
}

/** A connection that opens on first use, and opens again after a failure that spoils it. */
export interface NativeConnection {
  /** Runs synchronous native calls; throws a LibsqlError for errors of SQLite. */
  use<T>(run: (connection: Connection) => T): T
  /** Returns whether this connection is still the open one: a native call on a closed connection ends the process. */
  isOpen(connection: Connection): boolean
  /** Closes the open connection; the next use opens another one. */
  drop(): void
  /** Closes permanently; a later use throws. */
  close(): void
  readonly closed: boolean
}

export interface NativeConnectionOptions {
  path: string
  /** The statements that run first on each connection. */
  setup: string
  /** After such an error the connection is not used again. */
  isSpoiledBy(error: unknown): boolean
  /**
   * The interval, in milliseconds, after which a use first checks that the file is still in its place. 0 checks before and after
   * each use, so that a write to a deleted file is not confirmed.
   */
  lookEveryInMs: number
}

/**
 * Returns the identity of the file at a path. Throws the error of a file that cannot be opened for a missing one, because SQLite
 * would create an empty file.
 */
export function fileAt(path: string): string {
  if (path === IN_MEMORY) return path
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new LibsqlError(`there is no file at ${path}`, 'SQLITE_CANTOPEN')
  return `${stats.dev} ${stats.ino}`
}

/** Creates a connection of the native library to a file, or to `:memory:`; it opens on first use. */
export function createNativeConnection(options: NativeConnectionOptions): NativeConnection {
  const { path, setup, isSpoiledBy, lookEveryInMs } = options
  let open: Connection | undefined
  let file = ''
  let lookedAt = 0
  let isClosed = false

  function connect(): Connection {
    file = fileAt(path)
    lookedAt = performance.now()
    const database = new NativeDatabase(path, { timeout: LOCK_WAIT_IN_MS })
    open = toConnection(database)
    database.exec(setup)
    return open
  }

  function drop(): void {
    open?.database.close()
    open = undefined
  }

  function lookBefore(): void {
    if (!open || performance.now() - lookedAt < lookEveryInMs) return
    lookedAt = performance.now()
    look()
  }

  // A write to a file that was replaced is lost and may be tried again. An open transaction keeps its connection, so this
  // function opens no new one.
  function look(): void {
    if (fileAt(path) !== file) throw new LibsqlError('the file was replaced', 'SQLITE_BUSY_MOVED')
  }

  return {
    use(run) {
      if (isClosed) throw new LibsqlError('The client is closed', 'CLIENT_CLOSED')
      try {
        lookBefore()
        const answer = run(open ?? connect())
        if (lookEveryInMs === 0) look()
        return answer
      } catch (error) {
        if (isSpoiledBy(error)) drop()
        throw toLibsqlError(error)
      }
    },
    isOpen: connection => connection === open,
    drop,
    close() {
      isClosed = true
      drop()
    },
    get closed() {
      return isClosed
    },
  }
}

function toConnection(database: NativeDatabase.Database): Connection {
  const preparedBy = <T extends object>(prepare: (sql: string) => T) => {
    const prepared = createCache<T>('prepared-statements')
    return (sql: string): T => prepared.getOrSet(sql, () => prepare(sql))
  }
  const executes = preparedBy(sql => prepareExecute(database, sql))
  const rows = preparedBy(sql => {
    const statement = database.prepare(sql).raw(true).safeIntegers(true)
    return (args: NativeArgs) => (statement.all(args) as NativeValue[][]).map(values => values.map(toValue))
  })
  const arrays = preparedBy(sql => {
    const statement = database.prepare(sql).raw(true)
    return (args: ReadArgs) => statement.all(args) as unknown[][]
  })
  const objects = preparedBy(sql => database.prepare(sql))
  return {
    database,
    execute(statement) {
      const { sql, args } = withArgs(statement)
      return executes(sql)(toNativeArgs(args))
    },
    rows(statement) {
      const { sql, args } = withArgs(statement)
      return rows(sql)(toNativeArgs(args))
    },
    arrays: (sql, args) => arrays(sql)(args),
    objects: (sql, args) => objects(sql).all(args) as object[],
  }
}

/**
 * Converts an error of the native library to the form of the libSQL client: `code` for the kind, `extendedCode` for the details,
 * and the index of the statement in its batch.
 */
export function toLibsqlError(error: unknown, index?: number): unknown {
  if (!(error instanceof NativeDatabase.SqliteError)) return error
  const { message, code, rawCode } = error
  const kind = code.split('_', 2).join('_')
  if (index === undefined) return new LibsqlError(message, kind, code, rawCode, error)
  return new LibsqlBatchError(message, index, kind, code, rawCode, error)
}

export type NativeArgs = NativeValue[] | Record<string, NativeValue>

/** Returns arguments in the form of the native library; throws for values that the database cannot store. */
export function toNativeArgs(args: InArgs = []): NativeArgs {
  if (Array.isArray(args)) return args.map(toNativeValue)
  const named = Object.entries(args).map(([name, value]) => [name.replace(/^[@$:]/, ''), toNativeValue(value)] as const)
  return Object.fromEntries(named)
}

function toNativeValue(value: InValue): NativeValue {
  switch (typeof value) {
    case 'boolean':
      return Number(value)
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError('only finite numbers can be passed to the database')
      return value
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) throw new RangeError('an integer is too large for the database')
      return value
    case 'undefined':
      throw new TypeError('undefined cannot be passed to the database')
  }
  if (value instanceof Date) return value.getTime()
  return value instanceof ArrayBuffer ? Buffer.from(value) : value
}

function prepareExecute(database: NativeDatabase.Database, sql: string): (args: NativeArgs) => ResultSet {
  const statement: NativeDatabase.Statement = database.prepare(sql)
  if (!statement.reader) {
    return args => {
      const { changes, lastInsertRowid } = statement.run(args)
      return { ...toResult(rowShape([]), []), rowsAffected: changes, lastInsertRowid: BigInt(lastInsertRowid) }
    }
  }
  statement.raw(true).safeIntegers(true)
  let shape = rowShape(statement.columns())
  return args => {
    const rows = statement.all(args) as NativeValue[][]
    // The table of a `select *` has a new column.
    if (rows[0] && rows[0].length !== shape.names.length) shape = rowShape(database.prepare(sql).columns())
    return toResult(shape, rows.map(shape.toRow))
  }
}
