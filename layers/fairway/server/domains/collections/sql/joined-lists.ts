// The lists of joined rows in items: one statement for each list of a page.
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { SqlDeclaration } from '../collection'
import { createSelectList, entryOf, readable, toObject } from './fields'
import {
  bind,
  expression,
  fragment,
  joined,
  keyColumns,
  render,
  slot,
  type SlotValues,
  tablesOf,
  tableSource,
  where,
} from './fragment'
import { joinedColumns, type ReadPlan } from './read-plan'
import { type DeclaredSource, type Join, joinsFor, joinsText } from './source'

/** Prepares a list of joined rows for the items. */
export function joinedList(declaration: SqlDeclaration, source: DeclaredSource, join: Join) {
  const list = createSelectList()
  const key = source.key.map(column => readable('key', column, z.string(), new Set()))
  for (const { sql } of key) list.place(sql)
  const entries = joinedColumns(join, declaration, new Set()).map(({ name, sql, type }) =>
    entryOf(name, list.place(sql), type, declaration.toItem !== undefined),
  )
  const before = joinsFor(source.all, join.after).filter(other => other !== join)
  const from = fragment`${tableSource(source.root)}${joinsText(before)} join ${tableSource(join.table)} on ${join.on}`
  // A condition on the joined rows also filters the list.
  const authored = tablesOf(source.where).has(join.name) && source.where ? render(sql`(${source.where})`) : undefined
  const inOrder = keyColumns(join.table).map(expression)
  const order = inOrder.length > 0 ? fragment` order by ${joined(inOrder, ', ')}` : fragment``
  const keys = key.map(({ sql }) => sql)
  const values = key.length === 1 ? 'value' : key.map((_, index) => `json_extract(value, '$[${index}]')`).join(', ')
  const isOfPage = fragment`(${joined(keys, ', ')}) in (select ${values} from json_each(${slot('part', 'keys')}))`
  return {
    name: join.declared.as ?? '',
    entries,
    keyLength: key.length,
    statement: fragment`select ${joined(list.parts, ', ')} from ${from}${where([isOfPage, authored])}${order}`,
  }
}

/** The rows of one join to many, for the rows of a page. */
export type JoinedList = ReturnType<typeof joinedList>

/** Adds the joined rows to the objects of a page as lists. */
export async function attachLists(
  app: App,
  { plan, lists, values }: { plan: ReadPlan; lists: readonly JoinedList[]; values: SlotValues },
  rows: readonly (readonly unknown[])[],
  objects: readonly Record<string, unknown>[],
): Promise<void> {
  if (lists.length === 0 || rows.length === 0) return
  const keys = rows.map(row => plan.key.map(({ at }) => row[at]))
  const json = JSON.stringify(plan.key.length === 1 ? keys.map(([only]) => only) : keys)
  const listRows = await app.db.readRows(
    lists.map(({ statement }) => bind(statement, { ...values, part: { keys: json } })),
  )
  for (const [index, { name, entries, keyLength }] of lists.entries()) {
    const byKey = Map.groupBy(listRows[index] ?? [], row => JSON.stringify(row.slice(0, keyLength)))
    for (const [at, object] of objects.entries())
      object[name] = (byKey.get(JSON.stringify(keys[at])) ?? []).map(row => toObject(row, entries))
  }
}
