import { Column, getTableName, is, SQL, type SQLChunk, Table } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** The names (or aliases) of the tables whose columns an expression reads, without those of its own subqueries. */
export function tablesOf(value: SQL | SQLiteColumn | undefined): Set<string> {
  const read = new Set<string>()
  const own = new Set<string>()
  const visit = (chunk: SQLChunk): void => {
    if (Array.isArray(chunk)) for (const part of chunk) visit(part)
    else if (is(chunk, SQL)) for (const part of chunk.queryChunks) visit(part)
    else if (is(chunk, SQL.Aliased)) visit(chunk.sql)
    else if (is(chunk, Column)) read.add(getTableName(chunk.table))
    else if (is(chunk, Table)) own.add(getTableName(chunk))
  }
  visit(value)
  return new Set([...read].filter(name => !own.has(name)))
}
