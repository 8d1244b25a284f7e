import type { Client } from '@libsql/client'

export type ReadArgs = (string | number | null)[]

/** A SELECT with its positional arguments. */
export interface RowStatement {
  sql: string
  args: ReadArgs
}

/** Runs one SELECT; its rows are arrays in the order of its columns. */
export type ReadRows = (sql: string, args: ReadArgs) => unknown[][]

/** Reads through the client: one call, which sees one state of the database. */
export async function clientRows(client: Client, statements: readonly RowStatement[]): Promise<unknown[][][]> {
  const [only] = statements
  if (!only) return []
  const results = statements.length === 1 ? [await client.execute(only)] : await client.batch([...statements], 'read')
  return results.map(({ rows }) => rows.map(row => Array.from(row)))
}
