import { is } from 'drizzle-orm'
import { type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlDeclaration, SqlSelect } from '../collection'
import { type Join, joinsFor, readJoins } from './join'
import { keyColumns } from './root-table'
import { tablesOf } from './tables-of'

/** The source of a declaration with what its joins are for. */
export interface DeclaredSource extends SqlSelect {
  all: readonly Join[]
  /** One row of the root stays one row. */
  ones: readonly Join[]
  /** Joins to many that decide which rows of the root there are. */
  deciding: readonly Join[]
  /** Joins to many whose rows are lists in the item. */
  lists: readonly Join[]
  key: readonly SQLiteColumn[]
  /** Each group is one row of the root. */
  isGroupedByRoot: boolean
  /** A field of the item is made of several rows, so the query itself must be grouped. */
  isAggregated: boolean
}

/** Reads a declared source; throws for a root without a primary key. */
export function readSource({ source }: Pick<SqlDeclaration, 'source'>): DeclaredSource {
  const select: SqlSelect = is(source, SQLiteTable) ? { root: source } : source
  const { root, columns = {}, where, groupBy = [], having } = select
  const key = keyColumns(root)
  if (key.length === 0) throw new Error('source: the table needs a primary key; pages are ordered and cut by it')
  const all = readJoins(select.joins ?? [])
  const many = all.filter(({ kind }) => kind === 'many')
  const ofColumns = Object.values(columns).map(tablesOf)
  const read = new Set([where, having, ...groupBy].flatMap(part => [...tablesOf(part)]))
  const isGroupedByRoot = key.every(column => groupBy.includes(column))
  return {
    ...select,
    all,
    ones: all.filter(({ kind }) => kind === 'one'),
    deciding: deciding(many, read),
    lists: many.filter(({ declared }) => declared.as !== undefined),
    key,
    isGroupedByRoot,
    isAggregated:
      many.some(({ name }) => ofColumns.some(tables => tables.has(name))) || (groupBy.length > 0 && !isGroupedByRoot),
  }
}

// A left join that nothing reads cannot change which rows of the root there are.
function deciding(many: readonly Join[], read: ReadonlySet<string>): Join[] {
  const needed = many.filter(({ type, name }) => type === 'inner' || read.has(name))
  return joinsFor(
    many,
    needed.map(({ name }) => name),
  )
}
