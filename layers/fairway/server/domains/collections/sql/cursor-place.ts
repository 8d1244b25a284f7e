import type { CursorParameters } from '../page'
import type { Field } from './field'
import { expected } from './filters'
import type { ReadArg } from './fragment'
import type { Term } from './order'
import { refused } from '../query/refused'

type Bound = CursorParameters['bounds'][number]

/** Where a cursor page begins and which way it goes. */
export interface CursorPlace {
  isBackward: boolean
  /** The first values of the order there; undefined at the very beginning. */
  start?: readonly ReadArg[]
  /** The row at the start belongs to the page. */
  isInclusive: boolean
  /** The far end of a window, and how it was sent. */
  stop?: { values: readonly ReadArg[]; bounds: readonly Bound[] }
}

const operatorOf = ({ isDescending }: Term, isBackward: boolean): 'lt' | 'gt' =>
  isDescending === isBackward ? 'gt' : 'lt'

/** Reads `lt` and `gt` as places in this order; throws `invalid-input` for values and combinations that are none. */
export function readBounds(terms: readonly Term[], bounds: readonly Bound[]): CursorPlace {
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

/** The bounds of a place in this order. */
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

// The values must be those of the first terms, or the place would have a gap.
function valuesOf(terms: readonly Term[], bounds: readonly Bound[]): ReadArg[] {
  const given = terms.map(({ field }) => bounds.find(bound => bound.field === field.name))
  const count = given.findLastIndex(bound => bound !== undefined) + 1
  return given.slice(0, count).map((bound, index) => {
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
  return value
}

// Null is sent as nothing, so an empty text of the same column needs a sign; a backslash stands before it.
function writeValue({ type, isNullable }: Field, value: unknown): string | null {
  if (value === null) return null
  const text = type.write(value)
  return type.kind === 'text' && isNullable && (text === '' || text.startsWith('\\')) ? `\\${text}` : text
}

const nameOf = ({ field, operator }: Bound): string => `${field}[${operator}]`
