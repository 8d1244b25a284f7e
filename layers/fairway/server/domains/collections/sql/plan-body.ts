// The `from … where …` of the statements: of the root itself, or of the whole query as a table.
import { sql } from 'drizzle-orm'
import type { SelectList } from './fields'
import { expression, type Fragment, fragment, joined, render, tablesOf, tableSource, where } from './fragment'
import { type DeclaredSource, type Join, joinsFor, joinsText } from './source'

/** The middle of the statements of a collection, with the conditions of a request. */
export interface PlanBody {
  /** ` from … where …` */
  page(scope: Fragment | undefined, conditions: readonly Fragment[]): Fragment
  /** The whole SELECT of a number; `tables` are those that the conditions read. */
  count(scope: Fragment | undefined, conditions: readonly Fragment[], tables: ReadonlySet<string>): Fragment
  /** The same rows, found by the keys that `keys` selects. */
  rows(keys: Fragment, isSame: Fragment): Fragment
  /** What the expression at this place of the rows is called there. */
  nameOf(part: Fragment, at: number): Fragment
}

/** Pages and counts over the rows of the root; joins to many decide by EXISTS, so no row comes twice. */
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
      // From whichever side the planner finds better, which EXISTS would not let it choose.
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

// A left join to one changes no number, unless a condition reads it.
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
  // One group: SQLite finds no outer column in a `group by`.
  const ending = source.having ? fragment` group by 1 having ${render(source.having)}` : fragment``
  if (first.type === 'inner')
    return fragment`exists (select 1 from ${tableSource(first.table)}${joinsText(rest)}${where([first.on, authored])}${ending})`
  return fragment`exists (select 1 from (select 1)${joinsText(source.filtering)}${where([authored])}${ending})`
}

/** Pages and counts over the whole query of the author as a table of its own, one row for each group. */
export function wrappedBody(source: DeclaredSource, list: SelectList): PlanBody {
  const authored = source.where && render(sql`(${source.where})`)
  // A list of joined rows has a query of its own.
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
