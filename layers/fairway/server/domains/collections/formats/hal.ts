import type { Page } from '../collection'
import { idOf, itemIri, type ViewLinks } from '../links'
import type { ServedCollection } from '../served-collection'

const HAL_JSON = 'application/hal+json'

/** HAL documents: `_links` and `_embedded`. */
export const hal = { mediaType: HAL_JSON, contentType: HAL_JSON, writePage, writeItem }

function writePage(served: ServedCollection, page: Page, links: ViewLinks): string {
  const { self, first, last, previous: prev, next } = links
  const named = Object.entries({ self, first, last, prev, next }).filter(([, href]) => href !== undefined)
  const isEmpty = page.items.length === 0
  const document = {
    _links: {
      ...Object.fromEntries(named.map(([name, href]) => [name, { href }])),
      item: isEmpty ? undefined : page.items.map(item => ({ href: itemIri(served, idOf(item)) })),
    },
    totalItems: 'totalItems' in page ? page.totalItems : undefined,
    itemsPerPage: 'itemsPerPage' in page ? page.itemsPerPage : undefined,
  }
  if (isEmpty) return JSON.stringify(document)
  const embedded = page.items.map(item => writeItem(served, item)).join(',')
  return `${JSON.stringify(document).slice(0, -1)},"_embedded":{"item":[${embedded}]}}`
}

function writeItem(served: ServedCollection, item: unknown): string {
  const links = JSON.stringify({ self: { href: itemIri(served, idOf(item)) } })
  return `{"_links":${links},${JSON.stringify(item).slice(1)}`
}
