import type { Orm } from './client'

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
