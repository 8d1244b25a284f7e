// Numbers are bound as REAL; comparing and limiting work all the same, `typeof(?)` does not.
import {
  type InArgs,
  type InStatement,
  type InValue,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type Row,
  type Value,
} from '@libsql/client'
import NativeDatabase from 'libsql'
import { LRUCache } from 'lru-cache'

/** How long SQLite itself waits for a lock: the wait stops the event loop, so `retryBusy` does the rest. */
const LOCK_WAIT_IN_MS = 10
const MOST_KEPT = 300

export type ReadArgs = (string | number | null)[]

/** Runs one SELECT; its rows are arrays in the order of its columns. */
export type ReadRows = (sql: string, args: ReadArgs) => unknown[][]

/** One open connection of the native library, with the statements that were last used on it; each is prepared once. */
export interface Connection {
  database: NativeDatabase.Database
  /** Runs one statement, as the client of libSQL would. */
  execute(statement: InStatement): ResultSet
  /** The rows of a SELECT as arrays, in the order of its columns. */
  arrays: ReadRows
  /** The rows of a SELECT as plain objects. */
  objects(sql: string, args: ReadArgs): object[]
}

/** A connection that is opened when it is needed, and anew after a failure that spoils it. */
export interface NativeConnection {
  /** Runs native calls, all of them synchronous; throws a LibsqlError for what SQLite refuses. */
  use<T>(run: (connection: Connection) => T): T
  /** Whether this connection is still the open one: a native call on a closed connection ends the process. */
  isOpen(connection: Connection): boolean
  /** Closes the open connection; the next use opens another one. */
  drop(): void
  /** Closes for good. */
  close(): void
  readonly closed: boolean
}

export interface NativeConnectionOptions {
  path: string
  /** The statements with which a connection begins. */
  setup: string
  /** After such an error the connection is not used again. */
  isSpoiledBy(error: unknown): boolean
}

/** A connection of the native library to a file, or to `:memory:`; nothing is opened yet. */
export function createNativeConnection({ path, setup, isSpoiledBy }: NativeConnectionOptions): NativeConnection {
  let open: Connection | undefined
  let isClosed = false

  function connect(): Connection {
    const database = new NativeDatabase(path, { timeout: LOCK_WAIT_IN_MS })
    open = toConnection(database)
    database.exec(setup)
    return open
  }

  function drop(): void {
    open?.database.close()
    open = undefined
  }

  return {
    use(run) {
      if (isClosed) throw new LibsqlError('The client is closed', 'CLIENT_CLOSED')
      try {
        return run(open ?? connect())
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
  const kept = <T extends object>(memoMethod: (sql: string) => T) =>
    new LRUCache<string, T>({ max: MOST_KEPT, memoMethod })
  const executes = kept(sql => prepareExecute(database, sql))
  const arrays = kept(sql => database.prepare(sql).raw(true))
  const objects = kept(sql => database.prepare(sql))
  return {
    database,
    execute(statement) {
      const { sql, args } = typeof statement === 'string' ? { sql: statement, args: [] } : statement
      return executes.memo(sql)(toNativeArgs(args))
    },
    arrays: (sql, args) => arrays.memo(sql).all(args) as unknown[][],
    objects: (sql, args) => objects.memo(sql).all(args) as object[],
  }
}

/**
 * What the native library throws, as the client of libSQL tells it: `code` for the kind, `extendedCode` for what is special,
 * and the place of the statement in its batch.
 */
export function toLibsqlError(error: unknown, index?: number): unknown {
  if (!(error instanceof NativeDatabase.SqliteError)) return error
  const { message, code, rawCode } = error
  const kind = code.split('_', 2).join('_')
  if (index === undefined) return new LibsqlError(message, kind, code, rawCode, error)
  return new LibsqlBatchError(message, index, kind, code, rawCode, error)
}

/** What the native library answers for a statement in raw mode with safe integers. */
type NativeValue = string | number | bigint | null | Uint8Array
type NativeArgs = NativeValue[] | Record<string, NativeValue>

function toNativeArgs(args: InArgs = []): NativeArgs {
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
    const found = statement.all(args) as NativeValue[][]
    // `select *` of a table that has got another column since.
    if (found[0] && found[0].length !== shape.names.length) shape = rowShape(database.prepare(sql).columns())
    return toResult(shape, found.map(shape.toRow))
  }
}

/** What the rows of a statement have in common. */
interface RowShape {
  names: string[]
  types: string[]
  toRow(values: NativeValue[]): Row
}

/** Rows as the client makes them: values by place and by name, of which only the names are enumerable. */
function rowShape(columns: { name: string; type: string | null }[]): RowShape {
  const names = columns.map(column => column.name)
  class NamedRow {
    readonly #values: Value[]

    constructor(values: Value[]) {
      this.#values = values
      const named = this as Record<string, unknown>
      for (const [index, name] of names.entries()) if (!Object.hasOwn(named, name)) named[name] = values[index]
    }

    get length(): number {
      return names.length
    }

    static at(row: NamedRow, index: number): Value | undefined {
      return row.#values[index]
    }
  }
  for (const index of names.keys()) {
    Object.defineProperty(NamedRow.prototype, index, {
      get(this: NamedRow) {
        return NamedRow.at(this, index)
      },
    })
  }
  return {
    names,
    types: columns.map(column => column.type ?? ''),
    toRow: values => new NamedRow(values.map(toValue)) as unknown as Row,
  }
}

const toResult = ({ names, types }: RowShape, rows: Row[]): ResultSet => ({
  columns: names,
  columnTypes: types,
  rows,
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON() {
    return {
      columns: names,
      columnTypes: types,
      rows: rows.map(row => Array.from(row, toJson)),
      rowsAffected: this.rowsAffected,
      lastInsertRowid: this.lastInsertRowid === undefined ? null : String(this.lastInsertRowid),
    }
  },
})

function toValue(value: NativeValue): Value {
  if (typeof value === 'bigint') return toSafeInteger(value)
  if (value instanceof Uint8Array) return new Uint8Array(value).buffer
  return value
}

const toJson = (value: Value): unknown => (value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value)

function toSafeInteger(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError('an integer in the database is too large for a JavaScript number')
  return number
}
