import type { OrderBy } from '../pagination-options'
import type { Field } from './field'
import { type Fragment, fragment, joined } from './fragment'
import { fieldOf, type ReadPlan } from './read-plan'

/** One part of an order; nulls are the lowest values. */
export interface Term {
  field: Field
  isDescending: boolean
}

/** The order of a page: what is asked for, and the key, so that no two rows are equal in it. */
export function pageOrder(
  plan: ReadPlan,
  order: readonly OrderBy[],
  keyDirection: OrderBy['direction'] = 'ASC',
): Term[] {
  const terms = order.map(({ field, direction }) => ({
    field: fieldOf(plan, field, 'order'),
    isDescending: direction === 'DESC',
  }))
  const rest = plan.key.filter(key => !terms.some(({ field }) => field.at === key.at))
  return [...terms, ...rest.map(field => ({ field, isDescending: keyDirection === 'DESC' }))]
}

/** The order of a cursor: what is asked for, then the declared fields; the key goes the way of the last of them. */
export function cursorOrder(plan: ReadPlan, asked: readonly OrderBy[], declared: readonly OrderBy[]): Term[] {
  const named = new Set(asked.map(({ field }) => field))
  const order = [...asked, ...declared.filter(({ field }) => !named.has(field))]
  return pageOrder(plan, order, order.at(-1)?.direction)
}

/** The order read from its end. */
export const reversed = (terms: readonly Term[]): Term[] =>
  terms.map(({ field, isDescending }) => ({ field, isDescending: !isDescending }))

/** ` order by …` */
export const orderBy = (terms: readonly Term[]): Fragment =>
  fragment` order by ${joined(
    terms.map(({ field, isDescending }) => fragment`${field.sql} ${isDescending ? 'desc' : 'asc'}`),
    ', ',
  )}`

/** Orders of the same key have the same text. */
export const orderKey = (terms: readonly Term[]): string =>
  terms.map(({ field, isDescending }) => `${field.name}${isDescending ? '-' : '+'}`).join()
