import { AsyncLocalStorage } from 'node:async_hooks'
import { defineEventHandler, type EventHandler } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'

/** Whose data moves, and to whom. */
export interface LocalMigrationPeople {
  /** The local identities: the development account, and the one of older applications. Not every address has an account. */
  from: { userIds: readonly string[]; emails: readonly string[] }
  /** The account that takes over, and the organization it works in. */
  to: { userId: string; email: string; orgId: string | null }
}

/** What a template's hook gets: the people, and the database as one transaction. */
export interface LocalMigrationContext extends LocalMigrationPeople {
  db: Parameters<Parameters<Orm['transaction']>[0]>[0]
}

const moves = new AsyncLocalStorage<LocalMigrationPeople>()

/** Runs `work`, in which the template's hook is called, on behalf of a move. */
export const withMove = <T>(people: LocalMigrationPeople, work: () => T): T => moves.run(people, work)

/**
 * The handler of a template's `POST /api/local-migration`: moves what only the template knows of, in a transaction of its own, and
 * answers with what `work` returns (counts, for example). What `work` throws undoes all of it, and the next move calls it again.
 * The move alone calls it: whoever else sends the request is told `not-found`.
 */
export function defineLocalMigration<T>(work: (context: LocalMigrationContext) => Promise<T>): EventHandler {
  return defineEventHandler(async event => {
    const people = moves.getStore()
    if (!people) throw new AppError('not-found')
    return (await getApp(event).db.orm.transaction(db => work({ ...people, db }))) ?? null
  })
}
