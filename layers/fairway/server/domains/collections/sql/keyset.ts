// Positions in an order: conditions for the rows after them, and their cursors.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { sealDeterministic, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { jsonOf } from '#fairway/server/kernel/declaration'
import type { CursorParameters } from '../collection'
import { refused } from '../query/read-query'
import { type Field, orderedSql, orderedValue } from './fields'
import { expected, type Term } from './filters'
import { type Fragment, fragment, joined, type ReadArg, type Slot, slot } from './fragment'

/** A position in an order: the values of its first terms. The SQL text depends only on which of the values are null. */
interface Keyset {
  terms: readonly Term[]
  values: readonly ReadArg[]
  /** Whether the row at the position is included. */
  isInclusive: boolean
  slots: Slot['slot']
}

/**
 * The rows after a position (keyset pagination), as conditions that each select one range, in the sequence of the order. An index
 * of the order finds each range with one seek, even if many rows share a value. Returns at least one condition.
 */
export function keysetConditions({ terms, values, isInclusive, slots }: Keyset): Fragment[] {
  const used = terms.slice(0, values.length)
  const isNull = values.map(value => value === null)
  const value = (index: number) => slot(slots, index)
  const equal = (index: number) => {
    const sql = orderedSql(used[index]!.field)
    return isNull[index] ? fragment`${sql} is null` : fragment`${sql} = ${value(index)}`
  }
  if (isOneRange(used, isNull)) return [rowValue(used, value, isInclusive)]
  const ranges = isInclusive ? [all(used.map((_, index) => equal(index)))] : []
  for (const index of used.keys().toArray().toReversed()) {
    const before = used.slice(0, index).map((_, earlier) => equal(earlier))
    for (const beyond of beyondValue(used[index]!, isNull[index]!, value(index))) ranges.push(all([...before, beyond]))
  }
  return ranges.length > 0 ? ranges : [fragment`0`]
}

// SQLite evaluates (a, b) < (?, ?) with one seek when all terms have the same direction and no null follows the values.
function isOneRange(terms: readonly Term[], isNull: readonly boolean[]): boolean {
  return (
    !isNull.includes(true) &&
    terms.every(term => term.isDescending === terms[0]?.isDescending && !(term.isDescending && term.field.isNullable))
  )
}

function rowValue(terms: readonly Term[], value: (index: number) => Fragment, isInclusive: boolean): Fragment {
  const operator = `${terms[0]?.isDescending ? '<' : '>'}${isInclusive ? '=' : ''}`
  const columns = terms.map(({ field }) => orderedSql(field))
  const values = terms.map((_, index) => value(index))
  if (terms.length === 1) return fragment`${columns[0]!} ${operator} ${values[0]!}`
  return fragment`(${joined(columns, ', ')}) ${operator} (${joined(values, ', ')})`
}

// Nulls are the lowest: first when ascending, last when descending.
function beyondValue({ field, isDescending }: Term, isNull: boolean, value: Fragment): Fragment[] {
  const sql = orderedSql(field)
  if (isNull) return isDescending ? [] : [anyValue(sql, field.type.kind)]
  if (!isDescending) return [fragment`${sql} > ${value}`]
  return [fragment`${sql} < ${value}`, ...(field.isNullable ? [fragment`${sql} is null`] : [])]
}

// `is not null` would not seek.
const anyValue = (sql: Fragment, kind: string): Fragment =>
  kind === 'text' ? fragment`${sql} >= ''` : fragment`${sql} >= -9e999`

const all = (conditions: readonly Fragment[]): Fragment => joined(conditions, ' and ')

/** Positions with the same key have the same conditions. */
export const positionKey = (values: readonly ReadArg[] | undefined): string =>
  values?.map(value => (value === null ? 'n' : 'v')).join('') ?? '-'

type Bound = CursorParameters['bounds'][number]

/** The start of a cursor page, and its direction. */
export interface CursorPosition {
  isBackward: boolean
  /** The values of the first terms at the start; undefined at the beginning of the order. */
  start?: readonly ReadArg[]
  /** Whether the row at the start is part of the page. */
  isInclusive: boolean
  /** The other end of a window, and its parameters as the client sent them. */
  stop?: { values: readonly ReadArg[]; bounds: readonly Bound[] }
}

const operatorOf = ({ isDescending }: Term, isBackward: boolean): 'lt' | 'gt' =>
  isDescending === isBackward ? 'gt' : 'lt'

/** Reads `lt` and `gt` as a position in this order. Throws `invalid-input` for invalid values and combinations. */
export function readBounds(terms: readonly Term[], bounds: readonly Bound[]): CursorPosition {
  const forward = bounds.filter(bound => operatorOf(termOf(terms, bound), false) === bound.operator)
  const backward = bounds.filter(bound => !forward.includes(bound))
  const isWindow = backward.some(({ field }) => forward.some(other => other.field === field))
  const [first] = bounds
  if (!first) return { isBackward: false, isInclusive: false }
  if (forward.length > 0 && backward.length > 0 && !isWindow)
    throw refused(nameOf(first), 'The values of the cursor lead in different directions')
  const ahead = valuesOf(terms, forward)
  const behind = valuesOf(terms, backward)
  if (isWindow)
    return { isBackward: false, start: ahead, isInclusive: false, stop: { values: behind, bounds: backward } }
  return { isBackward: backward.length > 0, start: backward.length > 0 ? behind : ahead, isInclusive: false }
}

/** Writes a position in this order as `lt` and `gt`. */
export const writeBounds = (terms: readonly Term[], values: readonly unknown[], isBackward: boolean) =>
  values.map((value, index) => {
    const term = terms[index]!
    return { field: term.field.name, operator: operatorOf(term, isBackward), value: writeValue(term.field, value) }
  })

function termOf(terms: readonly Term[], bound: Bound): Term {
  const term = terms.find(({ field }) => field.name === bound.field)
  if (!term) throw refused(nameOf(bound), `The cursor of this order has no value ${bound.field}`)
  return term
}

// The values must cover the first terms without a gap.
function valuesOf(terms: readonly Term[], bounds: readonly Bound[]): ReadArg[] {
  const termBounds = terms.map(({ field }) => bounds.find(bound => bound.field === field.name))
  const count = termBounds.findLastIndex(bound => bound !== undefined) + 1
  return termBounds.slice(0, count).map((bound, index) => {
    const { field } = terms[index]!
    if (!bound) throw refused(nameOf(bounds[0]!), `The cursor needs a value of ${field.name} too`)
    return readValue(field, bound)
  })
}

function readValue(field: Field, bound: Bound): ReadArg {
  const { type, isNullable } = field
  if (bound.value === '' && isNullable) return null
  const value = type.parse(type.kind === 'text' && isNullable ? bound.value.replace(/^\\/, '') : bound.value)
  if (value === undefined)
    throw refused(nameOf(bound), `The value of ${nameOf(bound)} should be ${expected[type.kind]}`)
  return orderedValue(field, value)
}

/** The values of a row that an order compares. */
export const valuesAt = (terms: readonly Term[], row: readonly unknown[]): ReadArg[] =>
  terms.map(({ field }) => orderedValue(field, row[field.at] as ReadArg))

// Null is sent as an empty text, so an empty text of a nullable column is escaped with a backslash.
function writeValue({ type, isNullable }: Field, value: unknown): string | null {
  if (value === null) return null
  const text = type.write(value)
  return type.kind === 'text' && isNullable && (text === '' || text.startsWith('\\')) ? `\\${text}` : text
}

const nameOf = ({ field, operator }: Bound): string => `${field}[${operator}]`

const PURPOSE = 'collection-cursor'
const VERSION = 1

/** A position in an order, as an opaque cursor stores it. */
export interface TokenPosition {
  values: readonly ReadArg[]
  isBackward: boolean
  isInclusive: boolean
}

const payloadSchema = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.boolean(),
  z.boolean(),
  z.array(z.union([z.string(), z.number(), z.null()])),
])

/**
 * The opaque cursor of a position: sealed, and bound to `of`, the collection's order and filters. Equal positions have equal
 * cursors.
 */
export function writeToken(app: App, of: string, { values, isBackward, isInclusive }: TokenPosition): string {
  const payload = JSON.stringify([VERSION, sha256(of), isBackward, isInclusive, values])
  return sealDeterministic(app.config.keys, PURPOSE, payload, PURPOSE)
}

/**
 * Reads the position of an opaque cursor. Throws `invalid-input` for a token that this application did not create, or created for
 * another order or other filters.
 */
export function readToken(app: App, of: string, token: string): TokenPosition {
  const payload = payloadSchema.safeParse(jsonOf(opened(app, token)))
  if (!payload.success) throw unknownCursor()
  const [, hash, isBackward, isInclusive, values] = payload.data
  if (hash !== sha256(of)) throw refused('cursor', 'The cursor belongs to another order or other filters')
  return { values, isBackward, isInclusive }
}

function opened(app: App, token: string): string {
  try {
    return unseal(app.config.keys, PURPOSE, token, PURPOSE)
  } catch (error) {
    if (error instanceof UnsealError) throw unknownCursor()
    throw error
  }
}

const unknownCursor = () => refused('cursor', 'The cursor is not one that was given out here')
