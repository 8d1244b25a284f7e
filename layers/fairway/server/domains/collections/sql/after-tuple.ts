import { type Fragment, fragment, joined, type Slot, slot } from './fragment'
import type { Term } from './order'

/** Where in an order something begins: the first values of its terms; null is a value. */
export interface Tuple {
  terms: readonly Term[]
  isNull: readonly boolean[]
  /** Whether the row at this very place belongs to it. */
  isInclusive: boolean
  slots: Slot['slot']
}

/**
 * The rows after a place, as conditions that each select one stretch of the order, the first stretch first.
 * Every stretch is found by one seek in an index of the order, however many rows share a value. There is at least one.
 */
export function afterTuple({ terms, isNull, isInclusive, slots }: Tuple): Fragment[] {
  const used = terms.slice(0, isNull.length)
  const value = (index: number) => slot(slots, index)
  const equal = (index: number) => {
    const { sql } = used[index]!.field
    return isNull[index] ? fragment`${sql} is null` : fragment`${sql} = ${value(index)}`
  }
  if (isOneStretch(used, isNull)) return [rowValue(used, value, isInclusive)]
  const stretches = isInclusive ? [all(used.map((_, index) => equal(index)))] : []
  for (const index of used.keys().toArray().toReversed()) {
    const before = used.slice(0, index).map((_, earlier) => equal(earlier))
    for (const beyond of beyondValue(used[index]!, isNull[index]!, value(index)))
      stretches.push(all([...before, beyond]))
  }
  return stretches.length > 0 ? stretches : [fragment`0`]
}

// SQLite compares (a, b) < (?, ?) by one seek, as long as all go one way and no null comes after the values.
function isOneStretch(terms: readonly Term[], isNull: readonly boolean[]): boolean {
  return (
    !isNull.includes(true) &&
    terms.every(term => term.isDescending === terms[0]?.isDescending && !(term.isDescending && term.field.isNullable))
  )
}

function rowValue(terms: readonly Term[], value: (index: number) => Fragment, isInclusive: boolean): Fragment {
  const operator = `${terms[0]?.isDescending ? '<' : '>'}${isInclusive ? '=' : ''}`
  const columns = terms.map(({ field }) => field.sql)
  const values = terms.map((_, index) => value(index))
  if (terms.length === 1) return fragment`${columns[0]!} ${operator} ${values[0]!}`
  return fragment`(${joined(columns, ', ')}) ${operator} (${joined(values, ', ')})`
}

// Nulls are the lowest: first when ascending, last when descending.
function beyondValue({ field, isDescending }: Term, isNull: boolean, value: Fragment): Fragment[] {
  if (isNull) return isDescending ? [] : [anyValue(field.sql, field.type.kind)]
  if (!isDescending) return [fragment`${field.sql} > ${value}`]
  return [fragment`${field.sql} < ${value}`, ...(field.isNullable ? [fragment`${field.sql} is null`] : [])]
}

// `is not null` would not seek.
const anyValue = (sql: Fragment, kind: string): Fragment =>
  kind === 'text' ? fragment`${sql} >= ''` : fragment`${sql} >= -9e999`

const all = (conditions: readonly Fragment[]): Fragment => joined(conditions, ' and ')
