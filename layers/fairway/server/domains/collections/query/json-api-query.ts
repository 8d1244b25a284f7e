import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { isListIndex, type QueryTree, type QueryValue } from './parse-query'

/** JSON:API's own parameters as ours: what is inside `page[…]` and `filter[…]` stands alone, and `sort=-name` is an order. */
export function fromJsonApiQuery(query: QueryTree, { pagination, orderParameterName }: CollectionsConfig): QueryTree {
  const pageMembers = new Map([
    ['number', pagination.pageParameterName],
    ['size', pagination.itemsPerPageParameterName],
  ])
  const groups = new Map([
    ['page', pageMembers],
    [pagination.pageParameterName, pageMembers],
    ['filter', new Map<string, string>()],
  ])
  const plain: QueryTree = new Map()
  for (const [name, value] of query) {
    const members = groups.get(name)
    if (members && isGroup(value)) for (const [key, inner] of value) plain.set(members.get(key) ?? key, inner)
    else if (name === 'sort' && typeof value === 'string') plain.set(orderParameterName, sortOrder(value))
    else plain.set(name, value)
  }
  return plain
}

const isGroup = (value: QueryValue): value is QueryTree => value instanceof Map && ![...value.keys()].some(isListIndex)

const sortOrder = (sort: string): QueryTree =>
  new Map(
    sort
      .split(',')
      .filter(field => field !== '' && field !== '-')
      .map(field => (field.startsWith('-') ? [field.slice(1), 'desc'] : [field, 'asc'])),
  )
