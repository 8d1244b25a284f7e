import { sql } from 'drizzle-orm'
import type { DeclaredSource } from './declared-source'
import { grouping, texts } from './direct-body'
import { type Fragment, fragment, joined, render, where } from './fragment'
import type { Join } from './join'
import type { PlanBody } from './plan-body'
import { tableSource } from './root-table'
import type { SelectList } from './select-list'

/** Pages and counts over the whole query of the author as a table of its own, one row for each group. */
export function wrappedBody(source: DeclaredSource, list: SelectList): PlanBody {
  const authored = source.where && render(sql`(${source.where})`)
  // A list of joined rows has a query of its own.
  const isRead = (join: Join) => source.deciding.includes(join) || (source.isAggregated && !source.lists.includes(join))
  const inner = (scope: Fragment | undefined): Fragment => {
    const columns = list.parts.map((part, at) => fragment`${part} as c${String(at)}`)
    const joins = source.all.filter(join => join.kind === 'one' || isRead(join))
    const from = fragment`${tableSource(source.root)}${texts(joins)}${where([scope, authored])}`
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
