import type { Page } from '../page'
import type { ViewLinks } from '../query/view-links'
import type { ServedCollection } from '../served-collection'
import { idOf, itemIri } from './item-iri'
import type { Representation } from './representation'

const API_JSON = 'application/vnd.api+json'

/** JSON:API documents: links, meta and resource objects. */
export const jsonApi: Representation = {
  mediaType: API_JSON,
  contentType: API_JSON,
  writePage,
  writeItem: (served, item) => `{"data":${writeResource(served, item)}}`,
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
})

// `id` and `type` are the resource's own and may not stand among its attributes (JSON:API 1.1 §7.2.3).
function writeResource(served: ServedCollection, item: unknown): string {
  const attributes = Object.entries(item as Record<string, unknown>).map(([name, value]) => [
    name === 'id' || name === 'type' ? `_${name}` : name,
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
