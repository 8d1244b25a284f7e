// SQL fragments with the arguments of their placeholders, and helpers for drizzle tables.
import {
  Column,
  getTableColumns,
  getTableName,
  is,
  Param,
  Placeholder,
  SQL,
  sql,
  type SQLChunk,
  Table,
} from 'drizzle-orm'
import { getTableConfig, type Index, SQLiteColumn, SQLiteSyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ReadArgs, RowStatement } from '#fairway/server/kernel/database/client'
import { originalName } from '#fairway/server/kernel/database/orm'

export type ReadArg = ReadArgs[number]

/** A placeholder that gets its value from each request. */
export interface Slot {
  slot: 'caller' | 'scope' | 'filter' | 'cursor' | 'stop' | 'part'
  key: string | number
}

/** A piece of SQL and the arguments of its placeholders. */
export interface Fragment {
  text: string
  args: readonly (ReadArg | Slot)[]
}

/** The values of one request, by slot. */
export type SlotValues = { [slot in Slot['slot']]?: Readonly<Record<string, ReadArg>> | readonly ReadArg[] }

const dialect = new SQLiteSyncDialect()

/** Template tag for fragments: inserts texts unchanged, and fragments with their arguments. */
export function fragment(texts: TemplateStringsArray, ...parts: readonly (string | Fragment)[]): Fragment {
  let text = texts[0] ?? ''
  const args: (ReadArg | Slot)[] = []
  for (const [index, part] of parts.entries()) {
    text += typeof part === 'string' ? part : part.text
    if (typeof part !== 'string') args.push(...part.args)
    text += texts[index + 1] ?? ''
  }
  return { text, args }
}

/** A placeholder for a value of the request. */
export const slot = (name: Slot['slot'], key: string | number): Fragment => ({
  text: '?',
  args: [{ slot: name, key }],
})

/** The SQL of an expression that `text` contains as null characters, with the values of its placeholders. */
export function applied(text: string, value: Fragment, argument?: Fragment): Fragment {
  const parts = text
    .split(/([\0?])/)
    .map(part => (part === '\0' ? value : part === '?' ? argument : undefined) ?? { text: part, args: [] })
  return joined(parts, '')
}

/** Joins fragments with a text between them. */
export const joined = (parts: readonly Fragment[], between: string): Fragment => ({
  text: parts.map(({ text }) => text).join(between),
  args: parts.flatMap(({ args }) => args),
})

/** A WHERE clause that requires all conditions; empty without conditions. */
export const where = (conditions: readonly (Fragment | undefined)[]): Fragment => {
  const stated = conditions.filter(condition => condition !== undefined)
  return stated.length === 0 ? { text: '', args: [] } : fragment` where ${joined(stated, ' and ')}`
}

/**
 * Converts drizzle's SQL to a fragment. Throws for values that SQLite does not support. Placeholders become values of the caller.
 */
export function render(query: SQL): Fragment {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return { text, args: params.map(toArg) }
}

/** The name of a table or a column, quoted. */
export const quoted = (name: string): string => dialect.escapeName(name)

/** A column or an expression of drizzle, for SELECT or comparisons. */
export const expression = (value: Parameters<typeof sql.join>[0][number]): Fragment => render(sql`${value}`)

/** The statement of a fragment with the values of one request. */
export function bind({ text, args }: Fragment, values: SlotValues): RowStatement {
  return { sql: text, args: args.map(arg => (isSlot(arg) ? valueOf(arg, values) : arg)) }
}

/** Whether a fragment has placeholders for values of the caller. */
export const asksCaller = ({ args }: Fragment): boolean => args.some(arg => isSlot(arg) && arg.slot === 'caller')

const isSlot = (arg: ReadArg | Slot): arg is Slot => typeof arg === 'object' && arg !== null

function valueOf({ slot, key }: Slot, values: SlotValues): ReadArg {
  const group = values[slot] as Readonly<Record<string | number, ReadArg>> | undefined
  const value = group?.[key]
  if (value === undefined) throw new Error(`a statement was left without its value ${slot}.${key}`)
  return value
}

function toArg(value: unknown): ReadArg | Slot {
  const inner = is(value, Param) ? value.value : value
  if (is(inner, Placeholder)) return { slot: 'caller', key: inner.name }
  if (typeof inner === 'boolean') return Number(inner)
  if (inner === null || typeof inner === 'string' || typeof inner === 'number') return inner
  throw new Error('a condition of a collection holds a value that is no text, number, boolean or null')
}

/** The names (or aliases) of the tables whose columns an expression reads, except inside of its subqueries. */
export function tablesOf(value: SQL | SQLiteColumn | undefined): Set<string> {
  const read = new Set<string>()
  const names = new Set<string>()
  const visit = (chunk: SQLChunk): void => {
    if (Array.isArray(chunk)) for (const part of chunk) visit(part)
    else if (is(chunk, SQL)) for (const part of chunk.queryChunks) visit(part)
    else if (is(chunk, SQL.Aliased)) visit(chunk.sql)
    else if (is(chunk, Column)) read.add(getTableName(chunk.table))
    else if (is(chunk, Table)) names.add(getTableName(chunk))
  }
  visit(value)
  return new Set([...read].filter(name => !names.has(name)))
}

/** The columns of a table's primary key; empty without one. */
export function keyColumns(table: SQLiteTable): SQLiteColumn[] {
  const columns = Object.values(getTableColumns(table))
  const primary = columns.filter(column => column.primary)
  const names = getTableConfig(table).primaryKeys[0]?.columns.map(({ name }) => name) ?? []
  return primary.length > 0 ? primary : columns.filter(({ name }) => names.includes(name))
}

/** The sets of column names that are unique in the table. */
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

/** A table in a FROM clause, with its alias if it has one. */
export function tableSource(table: SQLiteTable): Fragment {
  const name = getTableName(table)
  const original = originalName(table)
  return { text: original !== name ? `${quoted(original)} ${quoted(name)}` : quoted(name), args: [] }
}
