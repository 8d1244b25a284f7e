import type { JsonSchema } from '#fairway/server/domains/actions'
import type { Page } from '../collection'
import { idOf, itemIri, type ViewLinks } from '../links'
import type { ServedCollection } from '../served-collection'
import { allOf, canOf, closed, count, extended, listOf, text } from './describe'

const HAL_JSON = 'application/hal+json'

function writePage(served: ServedCollection, page: Page, links: ViewLinks): string {
  const { self, first, last, previous: prev, next } = links
  const named = Object.entries({ self, first, last, prev, next }).filter(([, href]) => href !== undefined)
  const ids = page.items.map(idOf)
  const isEmpty = ids.length === 0
  const document = {
    _links: {
      ...Object.fromEntries(named.map(([name, href]) => [name, { href }])),
      item: isEmpty ? undefined : ids.map(id => ({ href: itemIri(served, id) })),
    },
    totalItems: 'totalItems' in page ? page.totalItems : undefined,
    itemsPerPage: 'itemsPerPage' in page ? page.itemsPerPage : undefined,
    can: page.can,
  }
  if (isEmpty) return JSON.stringify(document)
  const fields = page.items.map(item => JSON.stringify(item).slice(1, -1))
  const embedded = fields.map((item, index) => writeFields(served, ids[index] ?? '', item)).join(',')
  return `${JSON.stringify(document).slice(0, -1)},"_embedded":{"item":[${embedded}]}}`
}

const writeItem = (served: ServedCollection, item: unknown): string =>
  writeFields(served, idOf(item), JSON.stringify(item).slice(1, -1))

const writeFields = (served: ServedCollection, id: string, fields: string): string =>
  `{"_links":${JSON.stringify({ self: { href: itemIri(served, id) } })},${fields}}`

const link = closed({ href: text })

/** HAL documents: `_links` and `_embedded`. */
export const hal = {
  mediaType: HAL_JSON,
  contentType: HAL_JSON,
  writePage,
  writeItem,
  schemaName: 'hal',
  describeMember: (_served: ServedCollection, item: JsonSchema): JsonSchema =>
    extended(item, { _links: closed({ self: link }) }),
  describeItem: (member: JsonSchema): JsonSchema => member,
  describePage: (served: ServedCollection, member: JsonSchema): JsonSchema =>
    closed(
      {
        _links: closed({ self: link }, { ...allOf(['first', 'last', 'prev', 'next'], link), item: listOf(link) }),
        ...canOf(served),
      },
      { totalItems: count, itemsPerPage: count, _embedded: closed({ item: listOf(member) }) },
    ),
}
