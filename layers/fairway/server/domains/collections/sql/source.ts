// The declared query: its root, its joins and their purposes. Builds the `from … where …` of statements, over the root or over
// the whole query as a table.
import { Column, getTableName, is, sql, SQL, type SQLChunk, StringChunk } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlDeclaration, SqlJoin, SqlSelect } from '../collection'
import type { SelectList } from './fields'
import {
  expression,
  type Fragment,
  fragment,
  joined,
  keyColumns,
  render,
  tablesOf,
  tableSource,
  uniqueKeys,
  where,
} from './fragment'

/** Reads a declared source, and classifies its joins. Throws for a root without a primary key. */
export function readSource({ source }: Pick<SqlDeclaration, 'source'>) {
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
    /** Joins that add at most one row to each row of the root. */
    toOne: all.filter(({ kind }) => kind === 'one'),
    /** Joins to many that affect which rows of the root are read. */
    filtering: filtering(many, read),
    /** Joins to many whose rows become lists in the item. */
    lists: many.filter(({ declared }) => declared.as !== undefined),
    key,
    /** Whether each group is one row of the root. */
    isGroupedByRoot,
    /** Whether a field of the item combines several rows, so that the query must be grouped. */
    isAggregated:
      many.some(({ name }) => ofColumns.some(tables => tables.has(name))) || (groupBy.length > 0 && !isGroupedByRoot),
  }
}

export type DeclaredSource = ReturnType<typeof readSource>

// An unused left join cannot change which rows of the root are selected.
function filtering(many: readonly Join[], read: ReadonlySet<string>): Join[] {
  const needed = many.filter(({ type, name }) => type === 'inner' || read.has(name))
  return joinsFor(
    many,
    needed.map(({ name }) => name),
  )
}

/** A declared join with its derived properties. */
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

/** Reads the joins of a declaration. A join that depends on a join to many is also one to many. */
function readJoins(joins: readonly SqlJoin[]): Join[] {
  const many = new Set<string>()
  return joins.map(declared => {
    const { table, type = 'left' } = declared
    const name = getTableName(table)
    if (declared.columns && declared.as === undefined)
      throw new Error(
        `joins: ${name}: columns are of the field that as names; single values belong to columns of the source`,
      )
    if (!declared.on) throw new Error(`joins: ${name}: needs the condition on`)
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

/** The joins that read these tables, and the joins that those depend on. */
export function joinsFor(joins: readonly Join[], tables: Iterable<string>): Join[] {
  const needed = new Set(tables)
  for (const join of joins.toReversed()) if (needed.has(join.name)) for (const name of join.after) needed.add(name)
  return joins.filter(({ name }) => needed.has(name))
}

/** The SQL of joins, in their sequence. */
export const joinsText = (joins: readonly Join[]): Fragment =>
  joined(
    joins.map(({ text }) => text),
    '',
  )

// At most one row matches when the condition compares every column of a unique key for equality and contains no `or`.
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
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(flat)
  if (is(chunk, StringChunk)) return chunk.value
  return [chunk]
}

/** The FROM and WHERE of a collection's statements, with the conditions of a request. */
export interface PlanBody {
  /** ` from … where …` */
  page(scope: Fragment | undefined, conditions: readonly Fragment[]): Fragment
  /** The complete SELECT of a count; `tables` are those that the conditions read. */
  count(scope: Fragment | undefined, conditions: readonly Fragment[], tables: ReadonlySet<string>): Fragment
  /** The same rows, found by the keys that `keys` selects. */
  rows(keys: Fragment, isSame: Fragment): Fragment
  /** The name of the expression at this index of the rows in this query. */
  nameOf(part: Fragment, at: number): Fragment
}

/** Reads pages and counts over the rows of the root. Joins to many become EXISTS, so rows are not duplicated. */
export function directBody(source: DeclaredSource): PlanBody {
  const root = tableSource(source.root)
  const { filtering } = source
  const authored = source.where && render(sql`(${source.where})`)
  const filtered = filtering.length > 0 ? exists(source, authored) : undefined
  const ownWhere = filtered ? undefined : authored
  return {
    page: (scope, conditions) =>
      fragment` from ${root}${joinsText(source.toOne)}${where([scope, ownWhere, ...conditions, filtered])}`,
    count(scope, conditions, tables) {
      const toOne = countedJoins(source, tables)
      if (filtering.length === 0)
        return fragment`select count(*) from ${root}${joinsText(toOne)}${where([scope, ownWhere, ...conditions])}`
      // The planner may start from either side, which EXISTS would not allow.
      return fragment`select count(*) from (select 1 from ${root}${joinsText(toOne)}${joinsText(filtering)}${where([
        scope,
        authored,
        ...conditions,
      ])}${grouping(source)})`
    },
    rows: (keys, isSame) => fragment` from ${keys} join ${root} on ${isSame}${joinsText(source.toOne)}`,
    nameOf: part => part,
  }
}

/** ` group by` the key of the root, with the author's HAVING. */
function grouping({ key, having, groupBy, isGroupedByRoot }: DeclaredSource): Fragment {
  const by = groupBy && groupBy.length > 0 && !isGroupedByRoot ? groupBy : key
  const list = joined(by.map(expression), ', ')
  return having ? fragment` group by ${list} having ${render(having)}` : fragment` group by ${list}`
}

// A left join to one does not change a count unless a condition reads it.
function countedJoins(source: DeclaredSource, tables: ReadonlySet<string>): readonly Join[] {
  const { toOne, filtering } = source
  const read = [
    ...tables,
    ...tablesOf(source.where),
    ...tablesOf(source.having),
    ...toOne.filter(({ type }) => type === 'inner').map(({ name }) => name),
    ...filtering.flatMap(({ after }) => [...after]),
  ]
  return joinsFor(toOne, read)
}

function exists(source: DeclaredSource, authored: Fragment | undefined): Fragment {
  const [first, ...rest] = source.filtering
  if (!first) throw new Error('no join filters the rows')
  // One group: SQLite does not resolve outer columns in a `group by`.
  const ending = source.having ? fragment` group by 1 having ${render(source.having)}` : fragment``
  if (first.type === 'inner')
    return fragment`exists (select 1 from ${tableSource(first.table)}${joinsText(rest)}${where([first.on, authored])}${ending})`
  return fragment`exists (select 1 from (select 1)${joinsText(source.filtering)}${where([authored])}${ending})`
}

/** Reads pages and counts over the author's whole query as a subquery, with one row for each group. */
export function wrappedBody(source: DeclaredSource, list: SelectList): PlanBody {
  const authored = source.where && render(sql`(${source.where})`)
  // A list of joined rows has a separate query.
  const isRead = (join: Join) =>
    source.filtering.includes(join) || (source.isAggregated && !source.lists.includes(join))
  const inner = (scope: Fragment | undefined): Fragment => {
    const columns = list.parts.map((part, at) => fragment`${part} as c${String(at)}`)
    const joins = source.all.filter(join => join.kind === 'one' || isRead(join))
    const from = fragment`${tableSource(source.root)}${joinsText(joins)}${where([scope, authored])}`
    return fragment`(select ${joined(columns, ', ')} from ${from}${grouping(source)}) as "page"`
  }
  return {
    page: (scope, conditions) => fragment` from ${inner(scope)}${where(conditions)}`,
    count: (scope, conditions) => fragment`select count(*) from ${inner(scope)}${where(conditions)}`,
    rows: () => {
      throw new Error('a wrapped query is not read by keys')
    },
    nameOf: (_, at) => ({ text: `"page"."c${at}"`, args: [] }),
  }
}
