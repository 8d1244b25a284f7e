import { sql } from 'drizzle-orm'
import type { DeclaredSource } from './declared-source'
import { expression, type Fragment, fragment, joined, render, where } from './fragment'
import { type Join, joinsFor } from './join'
import type { PlanBody } from './plan-body'
import { tableSource } from './root-table'
import { tablesOf } from './tables-of'

/** Pages and counts over the rows of the root; joins to many decide by EXISTS, so no row comes twice. */
export function directBody(source: DeclaredSource): PlanBody {
  const root = tableSource(source.root)
  const { deciding } = source
  const authored = source.where && render(sql`(${source.where})`)
  const decision = deciding.length > 0 ? exists(source, authored) : undefined
  const ownWhere = decision ? undefined : authored
  return {
    page: (scope, conditions) =>
      fragment` from ${root}${texts(source.ones)}${where([scope, ownWhere, ...conditions, decision])}`,
    count(scope, conditions, tables) {
      const ones = countedJoins(source, tables)
      if (deciding.length === 0)
        return fragment`select count(*) from ${root}${texts(ones)}${where([scope, ownWhere, ...conditions])}`
      // From whichever side the planner finds better, which EXISTS would not let it choose.
      return fragment`select count(*) from (select 1 from ${root}${texts(ones)}${texts(deciding)}${where([
        scope,
        authored,
        ...conditions,
      ])}${grouping(source)})`
    },
    rows: (keys, isSame) => fragment` from ${keys} join ${root} on ${isSame}${texts(source.ones)}`,
    nameOf: part => part,
  }
}

/** ` group by` the key of the root, with the author's HAVING. */
export function grouping({ key, having, groupBy, isGroupedByRoot }: DeclaredSource): Fragment {
  const by = groupBy && groupBy.length > 0 && !isGroupedByRoot ? groupBy : key
  const list = joined(by.map(expression), ', ')
  return having ? fragment` group by ${list} having ${render(having)}` : fragment` group by ${list}`
}

export const texts = (joins: readonly Join[]): Fragment =>
  joined(
    joins.map(({ text }) => text),
    '',
  )

// A left join to one changes no number, unless a condition reads it.
function countedJoins(source: DeclaredSource, tables: ReadonlySet<string>): readonly Join[] {
  const { ones, deciding } = source
  const read = [
    ...tables,
    ...tablesOf(source.where),
    ...tablesOf(source.having),
    ...ones.filter(({ type }) => type === 'inner').map(({ name }) => name),
    ...deciding.flatMap(({ after }) => [...after]),
  ]
  return joinsFor(ones, read)
}

function exists(source: DeclaredSource, authored: Fragment | undefined): Fragment {
  const [first, ...rest] = source.deciding
  if (!first) throw new Error('nothing decides')
  // One group: SQLite finds no outer column in a `group by`.
  const ending = source.having ? fragment` group by 1 having ${render(source.having)}` : fragment``
  if (first.type === 'inner')
    return fragment`exists (select 1 from ${tableSource(first.table)}${texts(rest)}${where([first.on, authored])}${ending})`
  return fragment`exists (select 1 from (select 1)${texts(source.deciding)}${where([authored])}${ending})`
}
