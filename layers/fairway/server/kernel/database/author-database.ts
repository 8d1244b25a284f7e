// The database for code of authors. Reading a route's code cannot show every write that comes before the session check, so each
// statement is checked when it runs.
import type { InStatement, Transaction } from '@libsql/client'
import type { App } from '../app-context'
import { findRun } from '../current-run'
import type { Orm } from './client'
import { createOrm, type RowClient } from './orm'
import { mayWrite } from './sql-text'
import { AppError } from '../http/app-error'

/**
 * The query builder that code of authors gets. While a request is answered, it writes only after that request's session was
 * found, or in a route that is declared public; it throws `unprotected-write` otherwise.
 */
export const authorDb = (app: App): Orm =>
  app.memo('author-db', () => createOrm(guardedClient(app.db.client), app.config.shortcuts))

function guardedClient(client: RowClient): RowClient {
  const guarded: Partial<RowClient> = {
    async execute(statement: InStatement, args?: Parameters<RowClient['execute']>[1]) {
      checkStatements([statement])
      return typeof statement === 'string' ? client.execute(statement, args) : client.execute(statement)
    },
    async rows(statement) {
      checkStatements([statement])
      return client.rows(statement)
    },
    async batch(statements, mode) {
      checkStatements(statements)
      return client.batch(statements, mode)
    },
    async migrate(statements) {
      checkStatements(statements)
      return client.migrate(statements)
    },
    async executeMultiple(sql) {
      checkWrite()
      return client.executeMultiple(sql)
    },
    transaction: async mode => guardedTransaction(await client.transaction(mode)),
  }
  return Object.assign(Object.create(client) as RowClient, guarded)
}

const guardedTransaction = (open: Transaction): Transaction =>
  Object.assign(Object.create(open) as Transaction, {
    async execute(statement: InStatement) {
      checkStatements([statement])
      return open.execute(statement)
    },
    async batch(statements: InStatement[]) {
      checkStatements(statements)
      return open.batch(statements)
    },
    async executeMultiple(sql: string) {
      checkWrite()
      return open.executeMultiple(sql)
    },
  })

function checkStatements(statements: Parameters<RowClient['batch']>[0]): void {
  if (findRun()?.unprotected === undefined) return
  const texts = statements.map(each => (typeof each === 'string' ? each : Array.isArray(each) ? each[0] : each.sql))
  if (texts.some(mayWrite)) checkWrite()
}

function checkWrite(): void {
  const request = findRun()?.unprotected
  if (request === undefined) return
  const cause = new Error(
    `${request} changes data and nobody is signed in. Begin with \`await useFairway(event)\` or \`await requireSession(event)\`. If anyone may call it, declare it with \`definePublicRoute(…)\`.`,
  )
  throw new AppError('unprotected-write', { cause })
}
