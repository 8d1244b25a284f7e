// Rows as they are sent: schemas that follow tables.
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { type SQLiteColumn, type SQLiteTable, SQLiteTimestamp } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { FILE_TYPE, FILES_TYPE, FOLDED_TYPE, type FoldedText } from '../field-types'
import { isoTime } from '../iso-time'

/** The JSON form of a value: dates are ISO 8601 strings, functions are dropped. */
export type Serialized<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined | void
    ? T
    : T extends { toJSON(...args: never[]): infer Json }
      ? Serialized<Json>
      : T extends (...args: never[]) => unknown
        ? never
        : T extends readonly unknown[]
          ? { [Index in keyof T]: Serialized<T[Index]> }
          : { [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? never : Name]: Serialized<T[Name]> }

/** A column as it is sent; it accepts the row's value, or its converted form. */
type ColumnSchema<Value> = z.ZodType<Serialized<Value>, Value | Serialized<Value>>

type Row<Table extends SQLiteTable> = Table['$inferSelect']

/** The fields of a table's rows as they are sent, without the omitted ones; `extend` replaces fields of the same name. */
type OutputShape<Table extends SQLiteTable, Omitted, Extension> = {
  [
    Name in Exclude<keyof Row<Table>, Omitted | keyof Extension> as Row<Table>[Name] extends FoldedText | null
      ? never
      : Name
  ]: ColumnSchema<Row<Table>[Name]>
} & Extension

interface OutputOptions<Omitted, Extension> {
  /** Columns that are not sent. */
  omit?: readonly Omitted[]
  /** Fields without a column, or fields with another form. */
  extend?: Extension
}

/**
 * A `z.object` that follows a table: it takes a row and returns the part that is sent, without columns of `foldedText`. Points in time become ISO 8601 strings.
 * Columns that are left out, and unknown keys of a row, are dropped. Throws at load for an unknown column. Also throws for a
 * column without a JSON value (a blob, a bigint), unless it is left out or replaced.
 */
export function outputOf<
  Table extends SQLiteTable,
  const Omitted extends keyof Row<Table> & string = never,
  Extension extends z.ZodRawShape = Record<never, never>,
>(
  table: Table,
  { omit = [], extend }: OutputOptions<Omitted, Extension> = {},
): z.ZodObject<OutputShape<Table, Omitted, Extension>> {
  const columns = getTableColumns(table)
  const unknown = omit.filter(name => !Object.hasOwn(columns, name))
  if (unknown.length > 0)
    throw new Error(
      `outputOf: omit: ${getTableName(table)} has no column ${unknown.join(', ')}; it has ${Object.keys(columns).join(', ')}`,
    )
  const dropped = new Set<string>([...omit, ...Object.keys(extend ?? {})])
  const shape = Object.entries(columns)
    .filter(([name, column]) => !dropped.has(name) && column.getSQLType() !== FOLDED_TYPE)
    .map(([name, column]) => [name, schemaOf(column, `${getTableName(table)}.${name}`)])
  const schema = z.object({ ...Object.fromEntries(shape), ...extend })
  return schema as unknown as z.ZodObject<OutputShape<Table, Omitted, Extension>>
}

function schemaOf(column: SQLiteColumn, place: string): z.ZodType {
  const schema = valueOf(column, place)
  return column.notNull ? schema : schema.nullable()
}

function valueOf(column: SQLiteColumn, place: string): z.ZodType {
  if (is(column, SQLiteTimestamp)) return moment
  switch (column.dataType) {
    case 'boolean':
      return z.boolean()
    case 'number':
      return column.getSQLType() === 'integer' ? z.int() : z.number()
    case 'string':
      return column.enumValues && column.enumValues.length > 0 ? z.enum(column.enumValues as string[]) : z.string()
    case 'json':
    case 'custom':
      if (column.getSQLType() === FILE_TYPE) return z.string()
      if (column.getSQLType() === FILES_TYPE) return z.array(z.string())
      return z.unknown().transform(toJson)
    default:
      throw new Error(
        `outputOf: ${place} holds a ${column.dataType}, which JSON has no value for; omit it, or give the field in extend`,
      )
  }
}

const moment = z
  .union([z.date(), z.iso.datetime({ offset: true })])
  .transform(value => (value instanceof Date ? isoTime(value.getTime()) : value))
  // Already checked above; the pattern of `z.iso.datetime` would add four hundred characters to every tool's schema.
  .pipe(z.string().meta({ format: 'date-time' }))

// Only the author knows the values of a custom column type; they are sent as JSON represents them.
const toJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))
