// Triggers on the tables of authors record which file belongs to which row. They work for every write: a file is kept as long as
// its row refers to it, and no row can take the file of another row.
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { keepTriggers, triggerSql } from '#fairway/server/kernel/database/keep-triggers'
import { originalName } from '#fairway/server/kernel/database/orm'
import { FILE_TYPE, FILES_TYPE } from '#fairway/server/kernel/field-types'
import { literal, quoteName } from '#fairway/server/kernel/database/sql-text'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { files } from './tables'

/** The error when a write assigns a file of another row or organization to a row. */
export const FILE_REFUSED = 'fw: this file is not for this row'

const PREFIX = 'fw_file_'
const EVENTS = ['insert', 'update', 'delete'] as const
type Event = (typeof EVENTS)[number]

interface FileColumn {
  table: string
  column: string
  isMany: boolean
  /** The primary key column. */
  key: string
  hasOrg: boolean
}

const FIND = `select m.name as "table", c.name as "column", lower(c.type) = '${FILES_TYPE}' as isMany,
    (select group_concat(k.name, ',') from pragma_table_info(m.name) k where k.pk > 0) as "key",
    exists (select 1 from pragma_table_info(m.name) o where o.name = 'org_id') as hasOrg
  from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' and lower(c.type) in ('${FILE_TYPE}', '${FILES_TYPE}')`

const flag = z.number().transform(Boolean)
const columnSchema = z.object({
  table: z.string(),
  column: z.string(),
  isMany: flag,
  key: z.string().nullable(),
  hasOrg: flag,
})

/** The columns of the application's tables that hold files. Throws for a table without a primary key of one column. */
export async function fileColumns(app: App): Promise<FileColumn[]> {
  const { rows } = await app.db.client.execute(FIND)
  return rows.map(row => {
    const { key, ...column } = columnSchema.parse(row)
    if (key !== null && !key.includes(',')) return { ...column, key }
    throw new Error(`${column.table}: a table with a column of files needs a primary key of one column`)
  })
}

/** Creates, updates and drops the file triggers to match the current columns. */
export async function keepFiles(app: App): Promise<void> {
  const columns = await fileColumns(app)
  const wanted = new Map(columns.flatMap(column => EVENTS.map(event => triggerOf(column, event))))
  await keepTriggers(app.db.client, PREFIX, wanted)
}

/** A SELECT for the file ids in the column of the new or the old row. */
const idsIn = ({ column, isMany }: FileColumn, row: 'new' | 'old'): string => {
  const value = `${row}.${quoteName(column)}`
  return `select value from json_each(${isMany ? `coalesce(${value}, '[]')` : `json_array(${value})`}) where value is not null`
}

/** A trigger's name and its SQL, formatted as SQLite returns it. */
function triggerOf(column: FileColumn, event: Event): [string, string] {
  const name = `${PREFIX}${column.table}:${column.column}:${event}`
  const watched = [column.key, column.column, ...(column.hasOrg ? ['org_id'] : [])]
  const changed = watched.map(each => `old.${quoteName(each)} is not new.${quoteName(each)}`).join(' or ')
  const bodies: Record<Event, string> = {
    insert: `${refuse(column, ['new'])} ${keep(column)}`,
    update: `${refuse(column, ['new', 'old'])} ${letGo(column, `and id not in (${idsIn(column, 'new')})`)} ${keep(column)}`,
    delete: letGo(column),
  }
  const when = event === 'update' ? ` when ${changed}` : ''
  return [name, triggerSql(name, `after ${event} on ${quoteName(column.table)}${when}`, bodies[event])]
}

/** The condition for files that this column of the row has or most recently had. */
const isOf = ({ table, column, key }: FileColumn, row: 'new' | 'old'): string =>
  `table_name = ${literal(table)} and column_name = ${literal(column)} and row_id = cast(${row}.${quoteName(key)} as text)`

function refuse(column: FileColumn, rows: readonly ('new' | 'old')[]): string {
  const isNew = `state = 'pending'${column.hasOrg ? ' and org_id = new.org_id' : ''}`
  const isFree = [isNew, ...rows.map(row => isOf(column, row))].map(part => `(${part})`).join(' or ')
  return `select raise(abort, ${literal(FILE_REFUSED)}) where exists (select 1 from (${idsIn(column, 'new')}) e where not exists (select 1 from fw_files f where f.id = e.value and (${isFree})));`
}

function keep(column: FileColumn): string {
  const { table, column: name, key, hasOrg } = column
  const org = hasOrg ? ', org_id = coalesce(new.org_id, org_id)' : ''
  return `update fw_files set state = 'kept', table_name = ${literal(table)}, column_name = ${literal(name)}, row_id = cast(new.${quoteName(key)} as text)${org} where id in (${idsIn(column, 'new')});`
}

const letGo = (column: FileColumn, besides = ''): string =>
  `update fw_files set state = 'unwanted' where id in (${idsIn(column, 'old')}) ${besides} and ${isOf(column, 'old')};`

/** Marks kept files that no row refers to any more: REPLACE deletes rows without a trigger, and a column may be dropped. */
export async function findLost(app: App): Promise<void> {
  await app.db.client.execute(`update fw_files set state = 'unwanted' where state = 'kept' and ${await lostSql(app)}`)
}

/** The condition for kept files that no row refers to. */
export async function lostSql(app: App): Promise<string> {
  const columns = await fileColumns(app)
  const held = columns.map(column => {
    const { table, column: name, key } = column
    const id = `t.${quoteName(key)}`
    const value = `t.${quoteName(name)}`
    const has = column.isMany
      ? `fw_files.id in (select value from json_each(coalesce(${value}, '[]')))`
      : `${value} = fw_files.id`
    // `t.` is required because the author's table has an `id` too. The comparison by key finds nearly every row. The comparison
    // as text cannot use an index, so it runs only for the remaining files.
    const rows = [`${id} = fw_files.row_id`, `cast(${id} as text) = fw_files.row_id`].map(
      isIt => `exists (select 1 from ${quoteName(table)} t where ${isIt} and ${has})`,
    )
    return `(table_name = ${literal(table)} and column_name = ${literal(name)} and (${rows.join(' or ')}))`
  })
  return `not (${held.join(' or ') || '0'})`
}

/**
 * The content of a file column as JSON: one file or null, or a list in its order. Only files that `fw_files` keeps for this row,
 * column and organization are in it; `held` names them, for `findFile`.
 */
export function filesSql(column: SQLiteColumn): SQL {
  const file = sql.raw(
    `json_object('id', f.id, 'name', f.name, 'type', f.type, 'size', f.size, 'held', json_array(f.table_name, f.column_name, f.row_id, f.org_id))`,
  )
  const isHeld = heldSql(column)
  return column.getSQLType() === FILES_TYPE
    ? sql`(select json_group_array(json(x)) from (select ${file} as x from json_each(coalesce(${column}, '[]')) e join fw_files f on f.id = e.value where ${isHeld} order by e.key))`
    : sql`(select ${file} from fw_files f where f.id = ${column} and ${isHeld})`
}

/** The condition that the triggers have kept the file `f` for the row of this column. */
function heldSql(column: SQLiteColumn): SQL {
  const { columns, primaryKeys } = getTableConfig(column.table)
  const key = columns.find(each => each.primary) ?? primaryKeys[0]?.columns[0]
  const org = columns.find(each => each.name === 'org_id')
  const ofOrg = org ? sql` and f.org_id = coalesce(${org}, f.org_id)` : sql``
  return sql`f.state = 'kept' and f.table_name = ${sql.raw(literal(originalName(column.table)))} and f.column_name = ${sql.raw(literal(column.name))} and f.row_id = cast(${key} as text)${ofOrg}`
}

const heldSchema = z.object({ id: z.string(), held: z.tuple([z.string(), z.string(), z.string(), z.string()]) })

/** A file and what holds it. */
export interface HeldFile {
  id: string
  held: readonly [table: string, column: string, row: string, org: string]
}

/** The files in a value of `filesSql`, once it is parsed. */
export const heldFiles = (value: unknown): HeldFile[] =>
  [value].flat().flatMap(each => heldSchema.safeParse(each).data ?? [])

/** The row of a file that is still held as said. Throws `not-found`. */
export async function findFile(app: App, { id, held: [table, column, row, org] }: HeldFile) {
  const isHeld = [eq(files.tableName, table), eq(files.columnName, column), eq(files.rowId, row), eq(files.orgId, org)]
  const [file] = await app.db.orm
    .select()
    .from(files)
    .where(and(eq(files.id, id), eq(files.state, 'kept'), ...isHeld))
  if (!file) throw new AppError('not-found')
  return file
}
