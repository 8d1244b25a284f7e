import { is, SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import { expression, type Fragment } from './fragment'
import { tablesOf } from './tables-of'
import { typeOf, type ValueType } from './value-type'

/** A value of the item, or of the key, as statements use it. */
export interface Field {
  name: string
  sql: Fragment
  type: ValueType
  isNullable: boolean
  /** The tables it is read from. */
  tables: ReadonlySet<string>
  /** The name of the column that it is, where it is one. */
  column?: string
  /** Its place in the rows. */
  at: number
}

/** What a field is read from, before its place is known. */
export type Readable = Omit<Field, 'at'>

/** A column or an expression as a field; `outer` names the tables of left joins, whose columns may all be null. */
export function readable(
  name: string,
  value: SQLiteColumn | SQL,
  schema: z.core.$ZodType,
  outer: ReadonlySet<string>,
): Readable {
  const tables = tablesOf(value)
  const isOuter = [...tables].some(table => outer.has(table))
  return {
    name,
    sql: expression(value),
    type: typeOf(value, schema),
    isNullable: isOuter || (is(value, SQL) ? acceptsNull(schema) : !(value.notNull || value.primary)),
    tables,
    column: is(value, SQL) ? undefined : value.name,
  }
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  const definition = schema._zod.def
  if (definition.type === 'nullable' || definition.type === 'optional' || definition.type === 'null') return true
  return 'innerType' in definition && acceptsNull(definition.innerType as z.core.$ZodType)
}
