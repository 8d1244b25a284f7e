import type { Client, Transaction } from '@libsql/client'
import { NoopLogger } from 'drizzle-orm'
import { NoopCache } from 'drizzle-orm/cache/core'
import { LibSQLDatabase, LibSQLPreparedQuery, LibSQLSession, LibSQLTransaction } from 'drizzle-orm/libsql'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'

type NoSchema = Record<string, never>

/** The query builder: `db.select().from(table)`. It knows no schema; statements name their tables. */
export type Orm = LibSQLDatabase<NoSchema>

/** Drizzle over a client. What the client throws is passed on as it is. */
export function createOrm(client: Client): Orm {
  const dialect = new SQLiteAsyncDialect()
  return new LibSQLDatabase('async', dialect, new PlainSession(client, dialect), undefined)
}

/**
 * A statement whose failures are the client's own: drizzle would wrap them in an error whose text holds the parameters, so
 * tokens and addresses would reach the log.
 */
class PlainQuery extends LibSQLPreparedQuery {
  // Drizzle's types leave this method of its own out.
  queryWithCache<T>(_sql: string, _params: unknown[], query: () => Promise<T>): Promise<T> {
    return query()
  }
}

const logger = new NoopLogger()
const cache = new NoopCache()

class PlainSession extends LibSQLSession<NoSchema, NoSchema> {
  constructor(
    readonly queued: Client,
    readonly asyncDialect: SQLiteAsyncDialect,
    readonly open?: Transaction,
  ) {
    super(queued, asyncDialect, undefined, {}, open)
  }

  override prepareQuery: LibSQLSession<NoSchema, NoSchema>['prepareQuery'] = (query, fields, ...rest) => {
    const [method, isArray, mapper] = rest
    const none = undefined
    return new PlainQuery(this.queued, query, logger, cache, none, none, fields, this.open, method, isArray, mapper)
  }

  override async transaction<T>(
    work: (transaction: LibSQLTransaction<NoSchema, NoSchema>) => T | Promise<T>,
  ): Promise<T> {
    const open = await this.queued.transaction('write')
    const session = new PlainSession(this.queued, this.asyncDialect, open)
    try {
      const result = await work(new LibSQLTransaction('async', this.asyncDialect, session, undefined))
      await open.commit()
      return result
    } catch (error) {
      await open.rollback()
      throw error
    }
  }
}

/**
 * A drizzle statement that is built once per database instead of at every call, which is most of its cost:
 * `const find = preparedQuery(db => db.select().from(notes).where(eq(notes.id, sql.placeholder('id'))).prepare())`,
 * then `await find(db).all({ id })`.
 */
export function preparedQuery<Statement extends object>(build: (db: Orm) => Statement): (db: Orm) => Statement {
  const statements = new WeakMap<Orm, Statement>()
  return db => {
    const statement = statements.get(db) ?? build(db)
    statements.set(db, statement)
    return statement
  }
}

/** The pattern of LIKE that finds a text anywhere, with `\` as escape character: its wildcards are ordinary characters to people. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
