import type { Fragment } from './fragment'
import type { ValueType } from './value-type'

/** The columns of a SELECT, each of them once. */
export interface SelectList {
  readonly parts: readonly Fragment[]
  /** The place of an expression in the rows. */
  place(expression: Fragment): number
}

export function createSelectList(): SelectList {
  const parts: Fragment[] = []
  const places = new Map<string, number>()
  return {
    parts,
    place(expression) {
      const key = JSON.stringify(expression)
      const known = places.get(key)
      if (known !== undefined) return known
      places.set(key, parts.length)
      return parts.push(expression) - 1
    },
  }
}

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
