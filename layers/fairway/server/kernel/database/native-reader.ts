// The native library never ends an EXPLAIN: its connection goes on reading the state of that moment, so each opens one of its
// own. `PRAGMA data_version` moves whenever another connection commits, and the reading connection never writes: counts and
// places deep in an order are remembered until it moves.
import type { Client, InStatement, ResultSet } from '@libsql/client'
import NativeDatabase from 'libsql'
import { LRUCache } from 'lru-cache'
import { withDatabaseErrors } from './database-error'
import { retryBusy } from './mutex'
import { type Connection, createNativeConnection, type ReadArgs, type ReadRows } from './native-connection'

/** A SELECT with its positional arguments. */
export interface RowStatement {
  sql: string
  args: ReadArgs
}

/** One state of a database file, while it is read. */
export interface Snapshot {
  rows: ReadRows
  /** What `make` gives, kept until the database is written to; the key must say everything that it depends on. */
  remember<T>(key: string, make: () => T): T
}

/** Reads of a database file; each throws `unavailable` when a lock stays or the database is closed. */
export interface NativeReader {
  prepare<Row extends object>(sql: string): (args: ReadArgs) => Promise<Row[]>
  /** Runs SELECTs as the client would; several of them see one state of the database. */
  select(statements: readonly InStatement[]): Promise<ResultSet[]>
  /** The rows of each SELECT as arrays; several of them see one state of the database. */
  readRows(statements: readonly RowStatement[]): Promise<unknown[][][]>
  /** Everything that `read` asks for comes from one state of the database; it must not throw for reasons of its own. */
  snapshot<T>(read: (state: Snapshot) => T): Promise<T>
  close(): void
}

/**
 * A second connection to a database file, which only reads: its statements do not wait for an open transaction.
 * It is the writer's own native library: another copy of SQLite in this process would drop the locks of the first.
 */
export function createNativeReader(path: string, busyLimitInMs: number): NativeReader {
  // After a failure a statement may hold on to an old snapshot, so the next read begins on a new connection.
  const reader = createNativeConnection({ path, setup: 'pragma query_only = on', isSpoiledBy: () => true })
  const memories = new WeakMap<Connection, ReturnType<typeof createMemory>>()

  const read = <T>(run: (connection: Connection) => T): Promise<T> =>
    withDatabaseErrors(retryBusy(async () => reader.use(run), performance.now() + busyLimitInMs))

  const readEach = <S, T>(statements: readonly S[], run: (connection: Connection, statement: S) => T): Promise<T[]> =>
    read(connection => {
      const readAll = () => statements.map(statement => run(connection, statement))
      return statements.length === 1 ? readAll() : inTransaction(connection, readAll)
    })

  function memoryOf(connection: Connection): ReturnType<typeof createMemory> {
    const memory = memories.get(connection) ?? createMemory(connection.arrays)
    memories.set(connection, memory)
    return memory
  }

  return {
    prepare:
      <Row extends object>(sql: string) =>
      args =>
        read(({ objects }) => objects(sql, args) as Row[]),
    select: statements => readEach(statements, ({ execute }, statement) => execute(statement)),
    readRows: statements => readEach(statements, ({ arrays }, { sql, args }) => arrays(sql, args)),
    snapshot: run =>
      read(connection =>
        inTransaction(connection, () => run({ rows: connection.arrays, remember: memoryOf(connection)() })),
      ),
    close: reader.close,
  }
}

// The connection is dropped after a failure, and the transaction with it.
function inTransaction<T>({ database }: Connection, read: () => T): T {
  database.exec('begin')
  const answer = read()
  database.exec('commit')
  return answer
}

const MOST_REMEMBERED = 500

/** What was found out about one state of the database: each call begins to look at the state of its moment. */
function createMemory(rows: ReadRows): () => Snapshot['remember'] {
  const known = new LRUCache<string, { value: unknown }>({ max: MOST_REMEMBERED })
  let version: unknown
  return () => {
    let isCurrent = false
    return <T>(key: string, make: () => T) => {
      if (!isCurrent) {
        // It moves whenever another connection has committed, and this one never writes.
        const [[now] = []] = rows('pragma data_version', [])
        if (now !== version) known.clear()
        version = now
        isCurrent = true
      }
      const found = known.get(key) ?? { value: make() }
      known.set(key, found)
      return found.value as T
    }
  }
}

/** How SQLite would read a statement: the lines of EXPLAIN QUERY PLAN. Values do not matter. */
export type Explain = (sql: string) => Promise<string[]>

/** For a database file. The library never ends an EXPLAIN, whose connection would see an old state from then on: it gets one of its own. */
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

/** For what has no file of its own: a libSQL server or a database in memory. */
export const explainAtServer =
  (client: Client): Explain =>
  async sql => {
    const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: nothingFor(sql) })
    return rows.map(row => detailOf(Array.from(row)))
  }

const nothingFor = (sql: string): null[] => Array.from(sql.matchAll(/\?/g), () => null)

const detailOf = (row: readonly unknown[]): string => String(row[3])
