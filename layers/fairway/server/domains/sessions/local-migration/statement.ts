import type { InValue, ResultSet } from '#fairway/server/kernel/database/client'

/** Runs one statement with named values, inside or outside of a transaction. */
export type Run = (sql: string, values?: Record<string, InValue>) => Promise<Pick<ResultSet, 'rows' | 'rowsAffected'>>

/** `Run` over a client or a transaction: of the values only those that the statement names are sent. */
export const toRun =
  (on: { execute(statement: { sql: string; args: Record<string, InValue> }): Promise<ResultSet> }): Run =>
  (sql, values = {}) =>
    on.execute({ sql, args: Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`:${name}`))) })
