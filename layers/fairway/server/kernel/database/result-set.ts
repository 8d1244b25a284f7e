import type { ResultSet, Row, Value } from '@libsql/client'

/** The values that the native library returns for a statement in raw mode with safe integers. */
export type NativeValue = string | number | bigint | null | Uint8Array

/** The columns that the rows of a statement share. */
export interface RowShape {
  names: string[]
  types: string[]
  toRow(values: NativeValue[]): Row
}

/** Creates rows like the client's: values by position and by name; only the names are enumerable. */
export function rowShape(columns: { name: string; type: string | null }[]): RowShape {
  const names = columns.map(column => column.name)
  // Of two columns with one name the first counts, and a position has priority over a numeric name.
  const indexes = new Set(Array.from(names.keys(), String))
  const places = [...names.entries()].filter(([index, name]) => names.indexOf(name) === index && !indexes.has(name))
  class NamedRow {
    readonly #values: Value[]

    constructor(values: Value[]) {
      this.#values = values
      const named = this as Record<string, unknown>
      for (const [index, name] of places) named[name] = values[index]
    }

    get length(): number {
      return names.length
    }

    static at(row: NamedRow, index: number): Value | undefined {
      return row.#values[index]
    }
  }
  for (const index of names.keys()) {
    Object.defineProperty(NamedRow.prototype, index, {
      get(this: NamedRow) {
        return NamedRow.at(this, index)
      },
    })
  }
  return {
    names,
    types: columns.map(column => column.type ?? ''),
    toRow: values => new NamedRow(values.map(toValue)) as unknown as Row,
  }
}

/** Returns the client's result for rows of this shape. */
export const toResult = ({ names, types }: Pick<RowShape, 'names' | 'types'>, rows: Row[]): ResultSet => ({
  columns: names,
  columnTypes: types,
  rows,
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON() {
    return {
      columns: names,
      columnTypes: types,
      rows: rows.map(row => Array.from(row, toJson)),
      rowsAffected: this.rowsAffected,
      lastInsertRowid: this.lastInsertRowid === undefined ? null : String(this.lastInsertRowid),
    }
  },
})

/** Returns a value in the client's form; throws a RangeError for an integer that a number cannot represent. */
export function toValue(value: NativeValue): Value {
  if (typeof value === 'bigint') return toSafeInteger(value)
  if (value instanceof Uint8Array) return new Uint8Array(value).buffer
  return value
}

const toJson = (value: Value): unknown => (value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value)

function toSafeInteger(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError('an integer in the database is too large for a JavaScript number')
  return number
}
