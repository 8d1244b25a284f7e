import type { Client } from '@libsql/client'
import NativeDatabase from 'libsql'

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

/** For a libSQL server. */
export const explainAtServer =
  (client: Client): Explain =>
  async sql => {
    const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: nothingFor(sql) })
    return rows.map(row => detailOf(Array.from(row)))
  }

const nothingFor = (sql: string): null[] => Array.from(sql.matchAll(/\?/g), () => null)

const detailOf = (row: readonly unknown[]): string => String(row[3])
