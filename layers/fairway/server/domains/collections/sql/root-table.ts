import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, type Index, SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Fragment, quoted } from './fragment'

/** The columns of a table's primary key; empty where it has none. */
export function keyColumns(table: SQLiteTable): SQLiteColumn[] {
  const columns = Object.values(getTableColumns(table))
  const own = columns.filter(column => column.primary)
  const names = getTableConfig(table).primaryKeys[0]?.columns.map(({ name }) => name) ?? []
  return own.length > 0 ? own : columns.filter(({ name }) => names.includes(name))
}

/** The sets of columns (their names) of which each row of the table has other values. */
export function uniqueKeys(table: SQLiteTable): string[][] {
  const { uniqueConstraints, indexes } = getTableConfig(table)
  return [
    keyColumns(table).map(({ name }) => name),
    ...Object.values(getTableColumns(table))
      .filter(column => column.isUnique)
      .map(({ name }) => [name]),
    ...uniqueConstraints.map(({ columns }) => columns.map(({ name }) => name)),
    ...indexes.flatMap(uniqueIndex),
  ].filter(names => names.length > 0)
}

function uniqueIndex({ config }: Index): string[][] {
  if (!config.unique || config.where) return []
  const names = config.columns.flatMap(column => (is(column, SQLiteColumn) ? [column.name] : []))
  return names.length === config.columns.length ? [names] : []
}

const ORIGINAL_NAME = Symbol.for('drizzle:OriginalName')

/** A table in a `from`, under its alias where it has one. */
export function tableSource(table: SQLiteTable): Fragment {
  const name = getTableName(table)
  const original: unknown = Reflect.get(table, ORIGINAL_NAME)
  const isAlias = typeof original === 'string' && original !== name
  return { text: isAlias ? `${quoted(original)} ${quoted(name)}` : quoted(name), args: [] }
}
