// Maintains totals with triggers, which count every write. REPLACE deletes rows without a delete trigger (unless `pragma
// recursive_triggers` is on). The triggers therefore record the rows that a new row may replace, and afterwards count those that
// are gone.
import { literal } from '#fairway/server/kernel/database/sql-text'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { App } from '#fairway/server/kernel/app-context'
import type { KeptTotal } from '../collection'
import type { CollectionEntry } from '../served-collection'
import { type Fragment, fragment, quoted, slot } from './fragment'

/** The total of a table: one per organization when the scope is `organization`, otherwise one for all rows. */
export function keptTotalOf(table: SQLiteTable, scope: unknown): KeptTotal {
  const name = getTableName(table)
  const { orgId } = getTableColumns(table)
  return scope === 'organization' && orgId
    ? { name: `${name}:organization`, table: name, scope: orgId.name }
    : { name: `${name}:all`, table: name }
}

/** Returns an error for a scope whose total cannot be maintained. */
export const scopeFaults = (scope: unknown): string[] =>
  scope === undefined || scope === 'everybody' || scope === 'organization'
    ? []
    : [
        "keepTotal: a total is kept of all rows or of those of each organization; allowed are the scopes 'everybody' and 'organization', and public collections without one",
      ]

/** The SELECT of a kept total. It counts instead while any of its triggers is missing. */
export function keptCount(total: KeptTotal, count: Fragment): Fragment {
  const scope = total.scope ? slot('caller', 'callerOrgId') : fragment`''`
  const names = EVENTS.map(event => literal(triggerName(total, event))).join(', ')
  return fragment`select case when (select count(*) from sqlite_schema where type = 'trigger' and tbl_name = ${literal(total.table)} and name in (${names})) = ${String(EVENTS.length)}
    then coalesce((select amount from fw_totals where total = ${literal(total.name)} and scope = ${scope}), 0)
    else (${count}) end`
}

const EVENTS = ['before_insert', 'insert', 'before_update', 'update', 'delete'] as const
type Event = (typeof EVENTS)[number]

const PREFIX = 'fw_total_'
const triggerName = ({ name }: KeptTotal, event: Event): string => `${PREFIX}${name}:${event}`

/**
 * Creates, updates and drops triggers to match the declared totals; new or changed ones are counted again. Throws for a table
 * that does not support them.
 */
export async function keepTotals(app: App, entries: readonly CollectionEntry[]): Promise<void> {
  const totals = entries.flatMap(({ collection }) => collection.keptTotal ?? [])
  const there = await triggersThere(app)
  const wanted = new Map<string, string>()
  const changed: string[] = []
  for (const total of new Map(totals.map(one => [one.name, one])).values()) {
    const triggers = triggersOf(total, await uniqueColumns(app, total.table))
    for (const [name, sql] of triggers) wanted.set(name, sql)
    if (triggers.some(([name, sql]) => there.get(name) !== sql)) changed.push(...keepingFrom(total, triggers))
  }
  const unwanted = [...there.keys()].filter(name => !wanted.has(name))
  const names = totals.map(({ name }) => literal(name)).join(', ')
  const dropped = unwanted.map(name => `drop trigger if exists ${quoted(name)}`)
  if (dropped.length > 0) dropped.push(`delete from fw_totals where total not in (${names})`)
  if (changed.length + dropped.length > 0) await app.db.client.batch([...dropped, ...changed], 'write')
}

async function triggersThere(app: App): Promise<Map<string, string>> {
  const [rows = []] = await app.db.readRows([
    { sql: `select name, sql from sqlite_schema where type = 'trigger' and name glob '${PREFIX}*'`, args: [] },
  ])
  return new Map(rows.map(([name, sql]) => [String(name), String(sql)]))
}

/** The columns of each unique index of a table. Expressions in an index are omitted. */
async function uniqueColumns(app: App, table: string): Promise<string[][]> {
  const [rows = []] = await app.db.readRows([
    {
      sql: `select i.name, c.name from pragma_index_list(?) i join pragma_index_info(i.name) c where i."unique" = 1 order by i.name, c.seqno`,
      args: [table],
    },
  ])
  const columns = [...Map.groupBy(rows, ([index]) => String(index))].map(([index, parts]) => ({
    index,
    names: parts.flatMap(([, name]) => (typeof name === 'string' ? [name] : [])),
  }))
  const opaque = columns.find(({ names }) => names.length === 0)
  if (opaque)
    throw new Error(
      `keepTotal: the unique index ${opaque.index} of ${table} has no plain column, so replaced rows cannot be found; leave keepTotal out`,
    )
  return columns.map(({ names }) => names)
}

/** The statements that create the triggers and count the initial totals. */
function keepingFrom({ name, table, scope }: KeptTotal, triggers: readonly (readonly [string, string])[]): string[] {
  const column = scope ? `coalesce(${quoted(scope)}, '')` : `''`
  return [
    ...triggers.flatMap(([trigger, sql]) => [`drop trigger if exists ${quoted(trigger)}`, sql]),
    `delete from fw_totals where total = ${literal(name)}`,
    `delete from fw_total_conflicts where total = ${literal(name)}`,
    `insert into fw_totals (total, scope, amount) select ${literal(name)}, ${column}, count(*) from ${quoted(table)} group by 2`,
  ]
}

/** The triggers of a total by name, with their SQL as SQLite returns it. */
function triggersOf(total: KeptTotal, unique: readonly string[][]): [string, string][] {
  const { table, scope } = total
  const name = literal(total.name)
  const place = (row: 'new' | 'old') => (scope ? `coalesce(${row}.${quoted(scope)}, '')` : `''`)
  const add = (row: 'new' | 'old', amount: string) =>
    `insert into fw_totals (total, scope, amount) select ${name}, ${place(row)}, 0 where not exists (select 1 from fw_totals where total = ${name} and scope = ${place(row)}); update fw_totals set amount = amount ${amount} where total = ${name} and scope = ${place(row)};`
  const forget = `delete from fw_total_conflicts where total = ${name};`
  const same = [['rowid'], ...unique]
    .map(columns => `(${columns.map(column => `t.${quoted(column)} = new.${quoted(column)}`).join(' and ')})`)
    .join(' or ')
  const scopeValue = scope ? `coalesce(t.${quoted(scope)}, '')` : `''`
  const note = (besides: string) =>
    `${forget} insert into fw_total_conflicts (total, "row", scope) select ${name}, t.rowid, ${scopeValue} from ${quoted(table)} t where (${same})${besides};`
  const gone = `c.total = ${name} and (c."row" = new.rowid or not exists (select 1 from ${quoted(table)} t where t.rowid = c."row"))`
  const settle = `update fw_totals set amount = amount - (select count(*) from fw_total_conflicts c where ${gone} and c.scope = fw_totals.scope) where total = ${name} and scope in (select c.scope from fw_total_conflicts c where ${gone}); ${forget}`
  // An update that changes neither the rowid nor any of these columns cannot replace a row or change a total.
  const moved = [...new Set(['rowid', ...unique.flat(), ...(scope ? [scope] : [])])]
    .map(column => `old.${quoted(column)} is not new.${quoted(column)}`)
    .join(' or ')
  const bodies: Record<Event, [string, string]> = {
    before_insert: ['before insert', note('')],
    insert: ['after insert', `${add('new', '+ 1')} ${settle}`],
    before_update: ['before update', note(' and t.rowid <> old.rowid')],
    update: ['after update', `${add('old', '- 1')} ${add('new', '+ 1')} ${settle}`],
    delete: [
      'after delete',
      `${add('old', '- 1')} delete from fw_total_conflicts where total = ${name} and "row" = old.rowid;`,
    ],
  }
  return EVENTS.map(event => {
    const trigger = triggerName(total, event)
    const [when, body] = bodies[event]
    return [
      trigger,
      `CREATE TRIGGER ${quoted(trigger)} ${when} on ${quoted(table)}${event.endsWith('update') ? ` when ${moved}` : ''} begin ${body} end`,
    ]
  })
}
