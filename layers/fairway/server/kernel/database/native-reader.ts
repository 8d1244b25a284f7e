import type { ResultSet } from '@libsql/client'
import NativeDatabase from 'libsql'
import { unavailable, withDatabaseErrors } from './database-error'
import { LOCK_WAIT_IN_MS } from './file-link'
import { readResult, rowShape } from './native-result'
import { retryBusy } from './retry-busy'
import type { ReadArgs, ReadRows, RowStatement } from './row-statement'
import { createMemory, type Snapshot } from './snapshot'

export interface NativeReader {
  prepare<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** Runs a SELECT as the client would, from a statement that is kept for the next time; throws when the lock stays. */
  select(sql: string, args: ReadArgs): Promise<ResultSet>
  /** The rows of each SELECT as arrays; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /** Everything that `read` asks for comes from one state of the database; it must not throw for reasons of its own. */
  snapshot<T>(read: (state: Snapshot) => T): Promise<T>
  close(): void
}

interface Connection {
  database: NativeDatabase.Database
  /** Statements written in our code: a fixed number. */
  statements: Map<string, NativeDatabase.Statement>
  /** Statements a query builder made: the last used ones. */
  selects: Map<string, Select>
  /** Statements of collections, which answer with arrays: the last used ones. */
  arrays: Map<string, NativeDatabase.Statement>
  memory: ReturnType<typeof createMemory>
}

type Select = (args: ReadArgs) => ResultSet

const MOST_KEPT = 200

/**
 * Prepared statements on a second connection to a file database, without the client in between.
 * It is the client's own native library: another copy of SQLite in this process would drop the locks of the first.
 */
export function createNativeReader(path: string, busyLimitInMs: number): NativeReader {
  let open: Connection | undefined
  let isClosed = false

  function connect(): Connection {
    const database = new NativeDatabase(path, { timeout: LOCK_WAIT_IN_MS })
    database.exec('pragma query_only = on')
    open = { database, statements: new Map(), selects: new Map(), arrays: new Map(), memory: createMemory() }
    return open
  }

  // After a failure a statement may hold on to an old snapshot, so the next read begins on a new connection.
  function drop(): void {
    open?.database.close()
    open = undefined
  }

  async function read<T>(run: (connection: Connection) => T): Promise<T> {
    // A native call on a closed connection ends the process.
    if (isClosed) throw unavailable(new Error('the database is closed'))
    try {
      return run(open ?? connect())
    } catch (error) {
      drop()
      throw error
    }
  }

  const patiently = <T>(run: (connection: Connection) => T): Promise<T> =>
    withDatabaseErrors(retryBusy(() => read(run), performance.now() + busyLimitInMs))

  function statementOf({ database, statements }: Connection, sql: string): NativeDatabase.Statement {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    prepare:
      <Row extends object>(sql: string) =>
      args =>
        patiently(connection => statementOf(connection, sql).all(args) as Row[]),
    select: (sql, args) => patiently(connection => selectOf(connection, sql)(args)),
    readRows: statements =>
      patiently(connection => {
        const rows = rowsOn(connection)
        const readAll = () => statements.map(({ sql, args }) => rows(sql, args))
        return statements.length === 1 ? readAll() : inTransaction(connection, readAll)
      }),
    snapshot: read =>
      patiently(connection => {
        const rows = rowsOn(connection)
        return inTransaction(connection, () => read({ rows, remember: connection.memory(rows) }))
      }),
    close() {
      isClosed = true
      drop()
    },
  }
}

function selectOf({ database, selects }: Connection, sql: string): Select {
  return lastUsed(selects, sql, () => prepareSelect(database, sql))
}

function rowsOn({ database, arrays }: Connection): ReadRows {
  return (sql, args) => lastUsed(arrays, sql, () => database.prepare(sql).raw(true)).all(args) as unknown[][]
}

// The connection is dropped after a failure, and the transaction with it.
function inTransaction<T>({ database }: Connection, read: () => T): T {
  database.exec('begin')
  const answer = read()
  database.exec('commit')
  return answer
}

function lastUsed<T>(kept: Map<string, T>, sql: string, prepare: () => T): T {
  const statement = kept.get(sql) ?? prepare()
  // Set anew, the last used one is the last; the first one goes when there are too many.
  kept.delete(sql)
  kept.set(sql, statement)
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? sql)
  return statement
}

function prepareSelect(database: NativeDatabase.Database, sql: string): Select {
  const statement = database.prepare(sql).raw(true).safeIntegers(true)
  let shape = rowShape(statement.columns())
  return args => {
    const found = statement.all(args) as Parameters<typeof shape.toRow>[0][]
    // `select *` of a table that has got another column since.
    if (found[0] && found[0].length !== shape.names.length) shape = rowShape(database.prepare(sql).columns())
    return readResult(shape, found.map(shape.toRow))
  }
}
