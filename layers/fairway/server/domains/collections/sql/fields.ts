// The values of an item: what they are read from, their types, and how rows become objects.
import { is, SQL } from 'drizzle-orm'
import { type SQLiteColumn, SQLiteTimestamp } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import { filesSql } from '#fairway/server/domains/files'
import { isFileColumn } from '#fairway/server/kernel/field-types'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { expression, type Fragment, type ReadArg, tablesOf } from './fragment'

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
  /** Whether it is a column of files. */
  isFile?: boolean
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
    sql: expression(!is(value, SQL) && isFileColumn(value) ? filesSql(value) : value),
    type: typeOf(value, schema),
    isNullable: isOuter || (is(value, SQL) ? acceptsNull(schema) : !(value.notNull || value.primary)),
    tables,
    column: is(value, SQL) ? undefined : value.name,
    isFile: !is(value, SQL) && isFileColumn(value),
  }
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  const definition = schema._zod.def
  if (definition.type === 'nullable' || definition.type === 'optional' || definition.type === 'null') return true
  return 'innerType' in definition && acceptsNull(definition.innerType as z.core.$ZodType)
}

/** The columns of a SELECT, each of them once. */
export function createSelectList() {
  const parts: Fragment[] = []
  const places = new Map<string, number>()
  return {
    parts: parts as readonly Fragment[],
    /** The place of an expression in the rows. */
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

/** How one value of a row gets into an object. */
export interface Entry {
  name: string
  at: number
  convert(value: unknown): unknown
}

/** An object within the object: the row of a join to one. It is null where its key is. */
export interface Nested {
  name: string
  keyAt: number
  entries: readonly Entry[]
}

/** A row as an object. */
export function toObject(row: readonly unknown[], entries: readonly Entry[], nested: readonly Nested[] = []) {
  const made: Record<string, unknown> = {}
  for (const { name, at, convert } of entries) {
    const value = row[at]
    made[name] = value === null || value === undefined ? null : convert(value)
  }
  for (const { name, keyAt, entries: own } of nested) made[name] = row[keyAt] === null ? null : toObject(row, own)
  return made
}

/** The entry of a value; as drizzle gives it for the author's own function, otherwise as the item has it. */
export const entryOf = (name: string, at: number, type: ValueType, isForAuthor: boolean): Entry => ({
  name,
  at,
  convert: isForAuthor ? type.toRow : type.toItem,
})

/** What a field holds and how it goes in and out. */
interface ValueType {
  kind: 'integer' | 'real' | 'text' | 'boolean' | 'date' | 'other'
  /** The value that SQLite compares, of a value as it was sent; undefined when it does not parse. */
  parse(text: string): ReadArg | undefined
  /** A value of the database as it is sent, so that `parse` gives it back. */
  write(value: unknown): string
  /** A value of the database, not null, as the item has it. */
  toItem(value: unknown): unknown
  /** A value of the database, not null, as drizzle gives it. */
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

/** Files as `filesSql` selects them. */
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

/** The type of a column, or of an expression by the field of the item that it fills. */
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

// What its author makes of a value is asked of the author's own functions.
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

/** The type of an expression, told by the schema of the field. */
function typeOfSchema(schema: z.core.$ZodType): ValueType {
  const definition = unwrapped(schema)._zod.def
  if (definition.type === 'number' && 'format' in definition) return integer
  return typesByName[definition.type] ?? other
}

/** A schema without `optional`, `nullable` and `default` around it. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const definition = schema._zod.def
  return 'innerType' in definition ? unwrapped(definition.innerType as z.core.$ZodType) : schema
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i
const OFFSET_AFTER_SPACE = /(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/

/**
 * A point in time (ISO 8601; UTC where no offset is given) in units since 1970, or undefined when it is none.
 * A `+` that a query turned into a space is one again.
 */
function readMoment(text: string, unitInMs: number): number | undefined {
  const parts = MOMENT.exec(text.replace(OFFSET_AFTER_SPACE, '$1+$2'))
  if (!parts) return undefined
  const [, day, time = '00:00', offset = 'Z'] = parts
  const inMs = Date.parse(`${day}T${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()}`)
  return Number.isNaN(inMs) ? undefined : inMs / unitInMs
}

/** A point in time as it stands in links: ISO 8601 with the offset of UTC, and milliseconds where there are some. */
const writeMoment = (inMs: number): string => new Date(inMs).toISOString().replace(/(?:\.000)?Z$/, '+00:00')
