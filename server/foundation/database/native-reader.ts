import NativeDatabase from 'libsql'
import { toDatabaseError, unavailable } from './database-error'
import { LOCK_WAIT_IN_MS } from './file-link'
import { retryBusy } from './retry-busy'

export type ReadArgs = (string | number | null)[]

export interface NativeReader {
  prepare<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  close(): void
}

interface Connection {
  database: NativeDatabase.Database
  statements: Map<string, NativeDatabase.Statement>
}

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
    open = { database, statements: new Map() }
    return open
  }

  // After a failure a statement may hold on to an old snapshot, so the next read begins on a new connection.
  function drop(): void {
    open?.database.close()
    open = undefined
  }

  function read(sql: string, args: ReadArgs): unknown[] {
    // A native call on a closed connection ends the process.
    if (isClosed) throw unavailable(new Error('the database is closed'))
    try {
      const { database, statements } = open ?? connect()
      const statement = statements.get(sql) ?? database.prepare(sql)
      statements.set(sql, statement)
      return statement.all(args)
    } catch (error) {
      drop()
      throw error
    }
  }

  return {
    prepare:
      <Row extends object>(sql: string) =>
      async args => {
        try {
          return await retryBusy(async () => read(sql, args) as Row[], performance.now() + busyLimitInMs)
        } catch (error) {
          throw toDatabaseError(error)
        }
      },
    close() {
      isClosed = true
      drop()
    },
  }
}
