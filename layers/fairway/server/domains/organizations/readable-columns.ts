// Columns as a reader may see them, and what everyone may read.
import { getTableColumns, getTableName, is, sql, SQL, type SQLChunk } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { foldedColumnOf } from '#fairway/server/kernel/folding/fold-sql'
import { type Part, policyOf } from './policy'
import type { Caller } from './caller'
import { anyOf, linkOf, namedAs, rowIsSql, type SharedTable } from './row-access'

/**
 * Returns the columns of a table as this caller may read them, for `select` and `returning`. Columns that a policy hides are
 * null.
 */
export function columnsFor<Table extends SharedTable>(table: Table, caller: Caller): Table['_']['columns'] {
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const shown = asReadBy(column, caller)
    return [name, is(shown, SQL) ? shown.mapWith(column) : column]
  })
  return Object.fromEntries(columns)
}

/**
 * Returns a column or an expression as this caller may read it: in it, columns that a policy hides are null. Returns the same
 * value if no policy hides any of them. Throws for a column that is not for `EVERYONE`.
 */
export function asReadBy(value: SQLiteColumn | SQL, caller: Caller | typeof EVERYONE): SQLiteColumn | SQL {
  if (is(value, SQL)) {
    const chunks = value.queryChunks.map(chunk => chunkReadBy(chunk, caller))
    return chunks.every((chunk, at) => chunk === value.queryChunks[at]) ? value : sql.join(chunks)
  }
  if (caller === EVERYONE) return asReadByEveryone(value)
  const read = readRuleOf(value)
  return read ? sql`case when ${anyOf(read, value.table as SharedTable, caller)} then ${value} end` : value
}

function asReadByEveryone(column: SQLiteColumn): SQLiteColumn | SQL {
  const isOpen = openingOf(column)
  if (isOpen) return isOpen === ALWAYS ? column : sql`case when ${isOpen} then ${column} end`
  const name = getTableName(column.table)
  throw new Error(`public: the policy of ${name} has no 'everyone' for reading ${column.name}; add it, or leave it out`)
}

/** Everyone, visitors without a session included: they read what a policy opens with `'everyone'`. */
export const EVERYONE = 'everyone'

/** Whether everyone may read this column of some rows; true for a table without a policy. */
export const isForEveryone = (column: SQLiteColumn): boolean => openingOf(column) !== undefined

/** The condition for the rows of which everyone may read this column; undefined for none. */
function openingOf(column: SQLiteColumn): SQL | undefined {
  const read = readRuleOf(column) ?? policyOf(column.table)?.rules.read
  return read && !column.primary ? openParts(read, column.table as SharedTable) : ALWAYS
}

/** The condition for the rows of which everyone may read something; undefined when a policy opens none. */
export function openToEveryone(table: SharedTable): SQL | undefined {
  const policy = policyOf(table)
  if (!policy) return ALWAYS
  const rules = [policy.rules.read, ...Object.values(policy.fields).map(({ read = [] }) => read)]
  return anyOpen(rules.map(read => openParts(read, table)))
}

const ALWAYS = sql`1`

function anyOpen(conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const open = conditions.filter(each => each !== undefined)
  if (open.length === 0 || open.includes(ALWAYS)) return open.length === 0 ? undefined : ALWAYS
  return sql`(${sql.join(open, sql` or `)})`
}

const openParts = (parts: readonly Part[], table: SharedTable): SQL | undefined =>
  anyOpen(parts.map(part => openPart(part, table)))

/** The condition of one part for somebody without a session; undefined when it needs a person. */
function openPart(part: Part, table: SharedTable): SQL | undefined {
  if (part.kind === 'member') return part.everyone ? ALWAYS : undefined
  if (part.kind === 'via') {
    const { target, isLinked } = linkOf(part, table)
    const isOpen = openParts(part.parts, target)
    return isOpen && sql`exists (select 1 from ${namedAs(part, target)} where ${isLinked} and ${isOpen})`
  }
  if (part.kind !== 'all') return undefined
  const met = part.parts.map(each => (each.kind === 'rowIs' ? rowIsSql(each, table) : openPart(each, table)))
  const isOpened = part.parts.some(each => each.kind !== 'rowIs')
  return isOpened && met.every(each => each !== undefined) ? sql`(${sql.join(met, sql` and `)})` : undefined
}

function chunkReadBy(chunk: SQLChunk, caller: Caller | typeof EVERYONE): SQLChunk {
  if (is(chunk, SQL) || is(chunk, SQLiteColumn)) return asReadBy(chunk, caller)
  if (is(chunk, SQL.Aliased)) return chunkReadBy(chunk.sql, caller)
  if (!Array.isArray(chunk)) return chunk
  const parts = chunk.map(part => chunkReadBy(part, caller))
  return parts.every((part, at) => part === chunk[at]) ? chunk : parts
}

/** Whether the policy of its table hides this column from some who may read the row. */
export const hasReadRule = (column: SQLiteColumn): boolean => readRuleOf(column) !== undefined

/** The rule for reading a column; the folded text of a column has its rule. */
function readRuleOf(column: SQLiteColumn): readonly Part[] | undefined {
  const policy = policyOf(column.table)
  if (!policy) return undefined
  const columns = getTableColumns(column.table)
  const broken = Object.entries(policy.fields).find(([name]) => {
    const ruled = columns[name]
    return ruled && (ruled.name === column.name || foldedColumnOf(ruled)?.name === column.name)
  })
  return broken?.[1].read
}
