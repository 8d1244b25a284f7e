import type { ResultSet } from '@libsql/client'
import NativeDatabase from 'libsql'
import { unavailable, withDatabaseErrors } from './database-error'
import { LOCK_WAIT_IN_MS } from './file-link'
import { readResult, rowShape } from './native-result'
import { retryBusy } from './retry-busy'

export type ReadArgs = (string | number | null)[]

export interface NativeReader {
  prepare<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** Runs a SELECT as the client would, from a statement that is kept for the next time; throws when the lock stays. */
  select(sql: string, args: ReadArgs): Promise<ResultSet>
  close(): void
}

interface Connection {
  database: NativeDatabase.Database
  /** Statements written in our code: a fixed number. */
  statements: Map<string, NativeDatabase.Statement>
  /** Statements a query builder made: the last used ones. */
  selects: Map<string, Select>
}

type Select = (args: ReadArgs) => ResultSet

const MOST_SELECTS = 200

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
    open = { database, statements: new Map(), selects: new Map() }
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
    close() {
      isClosed = true
      drop()
    },
  }
}

function selectOf({ database, selects }: Connection, sql: string): Select {
  const select = selects.get(sql) ?? prepareSelect(database, sql)
  // Set anew, the last used one is the last; the first one goes when there are too many.
  selects.delete(sql)
  selects.set(sql, select)
  if (selects.size > MOST_SELECTS) selects.delete(selects.keys().next().value ?? sql)
  return select
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
