import type { OrderBy } from '../pagination-options'
import type { QueryTree } from './parse-query'

/** What the client orders by, in its sequence; fields that are not offered and directions that are none are ignored. */
export function readOrder(query: QueryTree, parameterName: string, offered: ReadonlySet<string>): OrderBy[] {
  const given = query.get(parameterName)
  if (!(given instanceof Map)) return []
  return [...given].flatMap(([field, value]) => {
    const direction = typeof value === 'string' ? directions.get(value.trim().toLowerCase()) : undefined
    return direction && offered.has(field) ? [{ field, direction }] : []
  })
}

const directions = new Map<string, OrderBy['direction']>([
  ['asc', 'ASC'],
  ['desc', 'DESC'],
  ['', 'ASC'],
])

/** The order that a cursor follows: what the client asked for first, then the declared fields that it did not name. */
export function cursorOrder(declared: readonly OrderBy[], asked: readonly OrderBy[]): readonly OrderBy[] {
  if (asked.length === 0) return declared
  const named = new Set(asked.map(({ field }) => field))
  return [...asked, ...declared.filter(({ field }) => !named.has(field))]
}
