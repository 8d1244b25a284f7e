import { Column, getTableName, is, type SQL, SQL as SqlClass, type SQLChunk, StringChunk } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlJoin } from '../collection'
import { type Fragment, fragment, render } from './fragment'
import { tableSource, uniqueKeys } from './root-table'
import { tablesOf } from './tables-of'

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
export function readJoins(joins: readonly SqlJoin[]): Join[] {
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
