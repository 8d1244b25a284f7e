import { is, SQL } from 'drizzle-orm'
import { SQLiteTimestamp, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { ReadArg } from './fragment'
import { readMoment, writeMoment } from './moment'

/** What a field holds and how it goes in and out. */
export interface ValueType {
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

const other: ValueType = { ...integer, kind: 'other', parse: () => undefined }

const date = (unitInMs: number): ValueType => ({
  kind: 'date',
  parse: text => readMoment(text, unitInMs),
  write: value => writeMoment(Number(value) * unitInMs),
  toItem: value => new Date(Number(value) * unitInMs).toISOString(),
  toRow: value => new Date(Number(value) * unitInMs),
})

/** The type of a column, or of an expression by the field of the item that it fills. */
export const typeOf = (value: SQLiteColumn | SQL, field: z.core.$ZodType): ValueType =>
  is(value, SQL) ? typeOfSchema(field) : typeOfColumn(value)

function typeOfColumn(column: SQLiteColumn): ValueType {
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
