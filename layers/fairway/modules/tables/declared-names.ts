import { is } from 'drizzle-orm'
import { getTableConfig, getViewConfig, SQLiteTable, SQLiteView } from 'drizzle-orm/sqlite-core'

/** What SQLite makes of a declared table or view: its name and those of its indexes, which share one space; empty for everything else. */
export function declaredNames(value: unknown): string[] {
  if (is(value, SQLiteView)) return [getViewConfig(value).name]
  if (!is(value, SQLiteTable)) return []
  const { name, columns, indexes, uniqueConstraints } = getTableConfig(value)
  const uniqueColumns = columns.flatMap(({ isUnique, uniqueName }) => (isUnique && uniqueName ? [uniqueName] : []))
  const constraints = uniqueConstraints.flatMap(constraint => constraint.getName() ?? [])
  return [name, ...indexes.map(index => index.config.name), ...uniqueColumns, ...constraints]
}
