// The declared query: its root, its joins, and what each of them is for.
import { Column, getTableName, is, type SQL, SQL as SqlClass, type SQLChunk, StringChunk } from 'drizzle-orm'
import { type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlDeclaration, SqlJoin, SqlSelect } from '../collection'
import { type Fragment, fragment, joined, keyColumns, render, tablesOf, tableSource, uniqueKeys } from './fragment'

/** The source of a declaration with what its joins are for. */
export interface DeclaredSource extends SqlSelect {
  all: readonly Join[]
  /** One row of the root stays one row. */
  toOne: readonly Join[]
  /** Joins to many on which it depends which rows of the root are read. */
  filtering: readonly Join[]
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
    toOne: all.filter(({ kind }) => kind === 'one'),
    filtering: filtering(many, read),
    lists: many.filter(({ declared }) => declared.as !== undefined),
    key,
    isGroupedByRoot,
    isAggregated:
      many.some(({ name }) => ofColumns.some(tables => tables.has(name))) || (groupBy.length > 0 && !isGroupedByRoot),
  }
}

// A left join that nothing reads cannot change which rows of the root there are.
function filtering(many: readonly Join[], read: ReadonlySet<string>): Join[] {
  const needed = many.filter(({ type, name }) => type === 'inner' || read.has(name))
  return joinsFor(
    many,
    needed.map(({ name }) => name),
  )
}

/** A join of a declaration and what is known of it. */
export interface Join {
  declared: SqlJoin
  table: SQLiteTable
  name: string
  type: 'left' | 'inner'
  kind: 'one' | 'many'
  on: Fragment
  /** The tables that must be joined before. */
  after: ReadonlySet<string>
  /** `left join … on …` */
  text: Fragment
}

/** Reads the joins of a declaration; what is joined to many rows is many itself. */
function readJoins(joins: readonly SqlJoin[]): Join[] {
  const many = new Set<string>()
  return joins.map(declared => {
    const { table, type = 'left' } = declared
    const name = getTableName(table)
    if (declared.columns && declared.as === undefined)
      throw new Error(
        `joins: ${name}: columns are of the field that as names; single values belong to columns of the source`,
      )
    const on = render(declared.on)
    const after = tablesOf(declared.on)
    after.delete(name)
    const isMany = [...after].some(before => many.has(before))
    const kind = isMany ? 'many' : (declared.kind ?? kindOf(table, declared.on))
    if (kind === 'many') many.add(name)
    return {
      declared,
      table,
      name,
      type,
      kind,
      on,
      after,
      text: fragment` ${type} join ${tableSource(table)} on ${on}`,
    }
  })
}

/** The joins that read these tables, and those that must come before them. */
export function joinsFor(joins: readonly Join[], tables: Iterable<string>): Join[] {
  const needed = new Set(tables)
  for (const join of joins.toReversed()) if (needed.has(join.name)) for (const name of join.after) needed.add(name)
  return joins.filter(({ name }) => needed.has(name))
}

/** The text of joins, in their sequence. */
export const joinsText = (joins: readonly Join[]): Fragment =>
  joined(
    joins.map(({ text }) => text),
    '',
  )

// One row at most: the condition sets every column of a unique key equal to something, and nothing in it is an `or`.
function kindOf(table: SQLiteTable, on: SQL): 'one' | 'many' {
  const parts = flat(on)
  const isPlain = parts.every(part => typeof part !== 'string' || /^[\s()]*(?:=|and)?[\s()]*$/i.test(part))
  if (!isPlain) return 'many'
  const equal = new Set(
    parts.flatMap(part => (is(part, Column) && getTableName(part.table) === getTableName(table) ? [part.name] : [])),
  )
  return uniqueKeys(table).some(names => names.every(name => equal.has(name))) ? 'one' : 'many'
}

function flat(chunk: SQLChunk): unknown[] {
  if (is(chunk, SqlClass)) return chunk.queryChunks.flatMap(flat)
  if (is(chunk, StringChunk)) return chunk.value
  return [chunk]
}
