import type { JsonSchema } from '#fairway/server/domains/actions'
import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import type { Page } from '../collection'
import { idOf, itemIri, type ViewLinks } from '../links'
import { isListIndex, type QueryTree, type QueryValue } from '../query/query-tree'
import type { ServedCollection } from '../served-collection'
import { allOf, canOf, closed, count, listOf, text } from './describe'

const API_JSON = 'application/vnd.api+json'

/** JSON:API documents (links, meta and resource objects) and its query parameters. */
export const jsonApi = {
  mediaType: API_JSON,
  contentType: API_JSON,
  writePage,
  writeItem: (served: ServedCollection, item: unknown): string => `{"data":${writeResource(served, item)}}`,
  readQuery: fromJsonApiQuery,
  schemaName: 'jsonapi',
  describeMember: describeResource,
  describeItem: (resource: JsonSchema): JsonSchema => closed({ data: resource }),
  describePage: (served: ServedCollection, resource: JsonSchema): JsonSchema =>
    closed({
      links: closed({ self: text }, allOf(['first', 'last', 'prev', 'next'], text)),
      data: listOf(resource),
      meta: closed(canOf(served), { totalItems: count, itemsPerPage: count, currentPage: count }),
    }),
}

function writePage(served: ServedCollection, page: Page, links: ViewLinks): string {
  const { self, first, last, previous: prev, next } = links
  const data = page.items.map(item => writeResource(served, item)).join(',')
  return `{"links":${JSON.stringify({ self, first, last, prev, next })},"data":[${data}],"meta":${JSON.stringify(metaOf(page))}}`
}

const metaOf = (page: Page) => ({
  totalItems: 'totalItems' in page ? page.totalItems : undefined,
  itemsPerPage: 'itemsPerPage' in page ? page.itemsPerPage : undefined,
  currentPage: 'page' in page ? page.page : undefined,
  can: page.can,
})

// `id` and `type` are members of the resource and must not appear among its attributes (JSON:API 1.1 §7.2.3).
const attributeName = (field: string): string => (field === 'id' || field === 'type' ? `_${field}` : field)

function describeResource({ shortName }: ServedCollection, item: JsonSchema): JsonSchema {
  const properties = Object.entries(item.properties ?? {}).map(([field, schema]) => [attributeName(field), schema])
  const attributes = {
    ...item,
    properties: Object.fromEntries(properties),
    required: item.required?.map(attributeName),
  }
  return closed({ id: text, type: { const: shortName }, attributes, links: closed({ self: text }) })
}

function writeResource(served: ServedCollection, item: unknown): string {
  const attributes = Object.entries(item as Record<string, unknown>).map(([name, value]) => [
    attributeName(name),
    value,
  ])
  const id = idOf(item)
  return JSON.stringify({
    id,
    type: served.shortName,
    attributes: Object.fromEntries(attributes),
    links: { self: itemIri(served, id) },
  })
}

/**
 * Converts JSON:API parameters to those of the other formats: `page[…]` and `filter[…]` are unwrapped, and `sort=-name` becomes
 * an order.
 */
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
