// The values of an item: their sources, their types, and the conversion of rows to objects.
import { is, SQL } from 'drizzle-orm'
import { type SQLiteColumn, SQLiteTimestamp } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import { filesSql } from '#fairway/server/domains/files'
import { asReadBy, callerPlaceholders, type EVERYONE } from '#fairway/server/domains/organizations'
import { isFileColumn } from '#fairway/server/kernel/field-types'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { foldedColumnOf, foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { foldText } from '#fairway/shared/fold-text'
import { applied, expression, type Fragment, type ReadArg, tablesOf } from './fragment'

/** A value of the item or of the key, for use in statements. */
export interface Field {
  name: string
  sql: Fragment
  type: ValueType
  /** The values that the column can hold, if it is declared with a list of them. */
  values?: readonly string[]
  isNullable: boolean
  /** The tables that it is read from. */
  tables: ReadonlySet<string>
  /** The name of the column, if it is one. */
  column?: string
  isFile?: boolean
  /** The expression without case and marks that orders compare, if it is a text that people read. */
  folded?: Fragment
  /** The column that holds the folded text, if there is one. */
  foldedColumn?: string
  /** Its index in the rows. */
  at: number
}

/** A field's source before its index is known. */
export type Readable = Omit<Field, 'at'>

/** Whose rules apply: the caller's, those for everyone, or none. */
interface ReadOptions {
  by?: typeof callerPlaceholders | typeof EVERYONE | null
}

/**
 * Wraps a column or an expression as a field. `outer` names the tables of left joins, whose columns may all be null. In any table,
 * columns that a policy hides from the caller are null, so that filters and orders can't reveal them.
 */
export function readable(
  name: string,
  value: SQLiteColumn | SQL,
  schema: z.core.$ZodType,
  outer: ReadonlySet<string>,
  { by = callerPlaceholders }: ReadOptions = {},
): Readable {
  const column = is(value, SQL) ? undefined : value
  const isFile = column !== undefined && isFileColumn(column)
  const stored = isFile ? filesSql(column) : value
  const shown = by === null ? stored : asReadBy(stored, by)
  const isHidden = shown !== stored
  const tables = tablesOf(value)
  const isOuter = [...tables].some(table => outer.has(table))
  const sql = expression(shown)
  const type = typeOf(value, schema)
  return {
    name,
    sql,
    ...(isProse(value, type, schema) ? foldedOf(shown, sql) : {}),
    type,
    values: valuesOf(column),
    isNullable: isHidden || isOuter || canBeNull(value, schema),
    tables,
    column: isHidden ? undefined : column?.name,
    isFile,
  }
}

/** The values that drizzle lists for a column; an empty list means any. */
const valuesOf = (column: SQLiteColumn | undefined): readonly string[] | undefined =>
  column?.enumValues?.length ? column.enumValues : undefined

const canBeNull = (value: SQLiteColumn | SQL, schema: z.core.$ZodType): boolean =>
  is(value, SQL) ? acceptsNull(schema) : !(value.notNull || value.primary)

/** The expression for the folded text of an expression. */
export const fold = (sql: Fragment): Fragment => applied(foldedSql('\0'), sql)

function foldedOf(value: SQLiteColumn | SQL, sql: Fragment): Pick<Field, 'folded' | 'foldedColumn'> {
  const foldedColumn = is(value, SQL) ? undefined : foldedColumnOf(value)
  return foldedColumn ? { folded: expression(foldedColumn), foldedColumn: foldedColumn.name } : { folded: fold(sql) }
}

/** The expression that an order compares. */
export const orderedSql = ({ folded, sql }: Field): Fragment => folded ?? sql

/** The value that an order compares, of a value of the row or the client. */
export const orderedValue = ({ folded }: Field, value: ReadArg): ReadArg =>
  folded && typeof value === 'string' ? foldText(value) : value

// Texts of a set or a format, such as states, IDs and dates, are for programs.
function isProse(value: SQLiteColumn | SQL, { kind }: ValueType, schema: z.core.$ZodType): boolean {
  const definition = unwrapped(schema)._zod.def
  if (kind !== 'text' || definition.type === 'enum' || 'format' in definition) return false
  return is(value, SQL) || (value.dataType === 'string' && !value.primary && !valuesOf(value))
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  const definition = schema._zod.def
  if (definition.type === 'nullable' || definition.type === 'optional' || definition.type === 'null') return true
  return 'innerType' in definition && acceptsNull(definition.innerType as z.core.$ZodType)
}

/** The columns of a SELECT without duplicates. */
export function createSelectList() {
  const parts: Fragment[] = []
  const places = new Map<string, number>()
  return {
    parts: parts as readonly Fragment[],
    /** Returns the index of an expression in the rows. */
    place(expression: Fragment): number {
      const key = JSON.stringify(expression)
      const known = places.get(key)
      if (known !== undefined) return known
      places.set(key, parts.length)
      return parts.push(expression) - 1
    },
  }
}

export type SelectList = ReturnType<typeof createSelectList>

/** How one value of a row is stored in an object. */
export interface Entry {
  name: string
  at: number
  convert(value: unknown): unknown
}

/** An object within the object: the row of a join to one. It is null when its key is null. */
export interface Nested {
  name: string
  keyAt: number
  entries: readonly Entry[]
}

/** Converts a row to an object. */
export function toObject(row: readonly unknown[], entries: readonly Entry[], nested: readonly Nested[] = []) {
  const object: Record<string, unknown> = {}
  for (const { name, at, convert } of entries) {
    const value = row[at]
    object[name] = value === null || value === undefined ? null : convert(value)
  }
  for (const { name, keyAt, entries: fields } of nested)
    object[name] = row[keyAt] === null ? null : toObject(row, fields)
  return object
}

/** The entry of a value: in drizzle's type for the author's function, otherwise in the type of the item. */
export const entryOf = (name: string, at: number, type: ValueType, isForAuthor: boolean): Entry => ({
  name,
  at,
  convert: isForAuthor ? type.toRow : type.toItem,
})

/** The type of a field's values and their conversions. */
interface ValueType {
  kind: 'integer' | 'real' | 'text' | 'boolean' | 'date' | 'other'
  /** Converts a text from the client to the value that SQLite compares; undefined when it does not parse. */
  parse(text: string): ReadArg | undefined
  /** Converts a value of the database to a text that `parse` can read again. */
  write(value: unknown): string
  /** Converts a non-null value of the database to the item's type. */
  toItem(value: unknown): unknown
  /** Converts a non-null value of the database to drizzle's type. */
  toRow(value: unknown): unknown
}

const INTEGER = /^-?\d+$/
const REAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const booleans = new Map([
  ['true', 1],
  ['1', 1],
  ['false', 0],
  ['0', 0],
])

const same = (value: unknown): unknown => value

const integer: ValueType = {
  kind: 'integer',
  parse: text => (INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  write: String,
  toItem: same,
  toRow: same,
}

const real: ValueType = {
  ...integer,
  kind: 'real',
  parse: text => (REAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined),
}

const text: ValueType = { ...integer, kind: 'text', parse: text => text }

const boolean: ValueType = {
  kind: 'boolean',
  parse: text => booleans.get(text.toLowerCase()),
  write: value => String(Number(value)),
  toItem: value => Number(value) === 1,
  toRow: value => Number(value) === 1,
}

const other: ValueType = { ...text, kind: 'other', parse: () => undefined }

/** Files in the format of `filesSql`. */
const file: ValueType = {
  ...other,
  toItem: value => JSON.parse(String(value)),
  toRow: value => JSON.parse(String(value)),
}

const date = (unitInMs: number): ValueType => ({
  kind: 'date',
  parse: text => readMoment(text, unitInMs),
  write: value => writeMoment(Number(value) * unitInMs),
  toItem: value => isoTime(Number(value) * unitInMs),
  toRow: value => new Date(Number(value) * unitInMs),
})

/** The type of a column; for an expression, the type of the field that it fills. */
const typeOf = (value: SQLiteColumn | SQL, field: z.core.$ZodType): ValueType =>
  is(value, SQL) ? typeOfSchema(field) : typeOfColumn(value)

function typeOfColumn(column: SQLiteColumn): ValueType {
  if (isFileColumn(column)) return file
  if (is(column, SQLiteTimestamp)) return date(column.mode === 'timestamp' ? 1000 : 1)
  const mapped = (value: unknown) => column.mapFromDriverValue(value)
  switch (column.dataType) {
    case 'boolean':
      return boolean
    case 'number':
      return column.getSQLType() === 'integer' ? integer : real
    case 'string':
      return { ...(column.getSQLType() === 'numeric' ? real : text), toItem: mapped, toRow: mapped }
    case 'custom':
      return customType(column)
    default:
      return { ...other, toItem: mapped, toRow: mapped }
  }
}

// Custom column types use the conversion functions of their author.
function customType(column: SQLiteColumn): ValueType {
  const mapped = (value: unknown) => column.mapFromDriverValue(value)
  const base = /^(text|varchar|char)/i.test(column.getSQLType()) ? text : other
  const parse = (value: string) => {
    const stored = column.mapToDriverValue(value)
    return typeof stored === 'string' ? stored : undefined
  }
  return { ...base, parse: base === text ? parse : base.parse, toItem: mapped, toRow: mapped }
}

const typesByName: Record<string, ValueType> = { number: real, int: integer, boolean, string: text, enum: text }

/** The type of an expression, derived from the schema of the field. */
function typeOfSchema(schema: z.core.$ZodType): ValueType {
  const definition = unwrapped(schema)._zod.def
  if (definition.type === 'number' && 'format' in definition) return integer
  return typesByName[definition.type] ?? other
}

/** A schema without the wrappers `optional`, `nullable` and `default`. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const definition = schema._zod.def
  return 'innerType' in definition ? unwrapped(definition.innerType as z.core.$ZodType) : schema
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i
const OFFSET_AFTER_SPACE = /(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/

/**
 * Parses a point in time (ISO 8601; UTC without an offset) to units since 1970; undefined when it is invalid. Restores a `+` that
 * the query parser decoded as a space.
 */
function readMoment(text: string, unitInMs: number): number | undefined {
  const parts = MOMENT.exec(text.replace(OFFSET_AFTER_SPACE, '$1+$2'))
  if (!parts) return undefined
  const [, day, time = '00:00', offset = 'Z'] = parts
  const inMs = Date.parse(`${day}T${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()}`)
  return Number.isNaN(inMs) ? undefined : inMs / unitInMs
}

/** A point in time for links: ISO 8601 with the offset of UTC, and with milliseconds if they are not zero. */
const writeMoment = (inMs: number): string => new Date(inMs).toISOString().replace(/(?:\.000)?Z$/, '+00:00')
