import type { InArgs, ResultSet, Row, Value } from '@libsql/client'

/** What the native library answers for a statement in raw mode with safe integers. */
type NativeValue = string | number | bigint | null | Uint8Array

/** Positional arguments as SQLite takes them, or undefined where the client itself must convert them. */
export function plainArgs(args: InArgs | undefined): (string | number | null)[] | undefined {
  if (args === undefined) return []
  if (!Array.isArray(args)) return undefined
  const plain = args.map(value => (typeof value === 'boolean' ? Number(value) : value))
  return plain.every(isPlain) ? plain : undefined
}

const isPlain = (value: unknown): value is string | number | null =>
  typeof value === 'string' || value === null || (typeof value === 'number' && Number.isFinite(value))

/** What the rows of a statement have in common. */
export interface RowShape {
  names: string[]
  types: string[]
  toRow(values: NativeValue[]): Row
}

/** Rows as the client makes them: values by place and by name, of which only the names are enumerable. */
export function rowShape(columns: { name: string; type: string | null }[]): RowShape {
  const names = columns.map(column => column.name)
  class NamedRow {
    readonly #values: Value[]

    constructor(values: Value[]) {
      this.#values = values
      const named = this as Record<string, unknown>
      for (const [index, name] of names.entries()) if (!Object.hasOwn(named, name)) named[name] = values[index]
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

/** The result of a statement that changed nothing. */
export const readResult = ({ names, types }: RowShape, rows: Row[]): ResultSet => ({
  columns: names,
  columnTypes: types,
  rows,
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON: () => ({
    columns: names,
    columnTypes: types,
    rows: rows.map(row => Array.from(row, toJson)),
    rowsAffected: 0,
    lastInsertRowid: null,
  }),
})

function toValue(value: NativeValue): Value {
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
