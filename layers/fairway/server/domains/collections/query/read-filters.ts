import type { Collection, FilterKind } from '../collection'
import type { FilterCondition } from '../page'
import { isListIndex, type QueryTree, type QueryValue } from './parse-query'
import { refused } from './refused'

const RANGE = ['lt', 'lte', 'gt', 'gte'] as const

/** The kinds of filter that a field has. */
export const filterKinds = (filters: Collection['filters'], field: string): readonly FilterKind[] =>
  [filters[field] ?? []].flat()

/** The conditions of the request on declared filters; empty values are none, and `cursorFields` keep their `lt` and `gt` for the cursor. */
export function readFilters(
  query: QueryTree,
  filters: Collection['filters'],
  cursorFields: ReadonlySet<string>,
): FilterCondition[] {
  return Object.keys(filters).flatMap(field => {
    const value = query.get(field)
    return value === undefined ? [] : conditionsOn(field, filterKinds(filters, field), value, cursorFields.has(field))
  })
}

function conditionsOn(
  field: string,
  kinds: readonly FilterKind[],
  value: QueryValue,
  isCursor: boolean,
): FilterCondition[] {
  if (typeof value === 'string') return oneValue(field, kinds, value)
  const conditions: FilterCondition[] = []
  const values = kinds.includes('exact') ? listOf(field, value) : []
  if (values.length > 0) conditions.push({ kind: 'exact', field, values })
  for (const operator of kinds.includes('range') ? RANGE : []) {
    if (isCursor && (operator === 'lt' || operator === 'gt')) continue
    const bound = textAt(field, value, operator)
    if (bound !== '') conditions.push({ kind: 'range', field, operator, value: bound })
  }
  const sought = kinds.includes('search') ? textAt(field, value, 'search') : ''
  if (sought !== '') conditions.push({ kind: 'search', field, value: sought })
  return conditions
}

/** `?f=x`: equality where the field has it, otherwise the text to search for. */
function oneValue(field: string, kinds: readonly FilterKind[], value: string): FilterCondition[] {
  if (value === '') return []
  if (kinds.includes('exact')) return [{ kind: 'exact', field, values: [value] }]
  return kinds.includes('search') ? [{ kind: 'search', field, value }] : []
}

function listOf(field: string, tree: QueryTree): string[] {
  return [...tree.keys()]
    .filter(isListIndex)
    .map(key => textAt(field, tree, key))
    .filter(value => value !== '')
}

function textAt(field: string, tree: QueryTree, key: string): string {
  const value = tree.get(key)
  if (value instanceof Map) throw refused(`${field}[${key}]`, `The filter on ${field} should be one text`)
  return value ?? ''
}
