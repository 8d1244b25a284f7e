// The database for code of authors. Reading a route's code cannot show every write that comes before the session check, so each
// statement is checked when it runs.
import type { InStatement } from '@libsql/client'
import type { App } from '../app-context'
import { findRun } from '../current-run'
import type { Orm } from './client'
import { createOrm } from './orm'
import { mayWrite, textOf, toStatement } from './sql-text'
import { AppError } from '../http/app-error'

/**
 * The query builder that code of authors gets. While a request is answered, it writes only after that request's session was
 * found, or in a route that is declared public; it throws `unprotected-write` otherwise.
 */
export const authorDb = (app: App): Orm =>
  app.memo('author-db', () => createOrm(guarded(app.db.client), app.config.shortcuts))

const RUNNING = new Set<unknown>(['execute', 'rows', 'batch', 'migrate', 'executeMultiple'])

/** A client, or an open transaction, that checks each statement before it runs. */
const guarded = <Client extends object>(client: Client): Client =>
  new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'transaction') return async (...args: unknown[]) => guarded(await value(...args))
      if (!RUNNING.has(name)) return value
      return async (...args: unknown[]) => {
        checkWrite(name === 'executeMultiple' ? undefined : [args[0]].flat())
        return value(...args)
      }
    },
  })

/** Throws `unprotected-write` where a statement may not run; without statements, none that writes may. */
export function checkWrite(statements?: unknown[]): void {
  const request = findRun()?.unprotected
  if (request === undefined || statements?.every(each => !mayWrite(textOf(toStatement(each as InStatement))))) return
  const cause = new Error(
    `${request} changes data and nobody is signed in. Begin with \`await useFairway(event)\` or \`await requireSession(event)\`. If anyone may call it, declare it with \`definePublicRoute(…)\`.`,
  )
  throw new AppError('unprotected-write', { cause })
}
