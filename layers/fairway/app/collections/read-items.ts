import { type CollectionPage, readCollectionPage } from '#fairway/shared/collections/collection-page'
import { sendJson } from '../request/send-json'
import type { CollectionName, ItemOf } from './collection-list'

/**
 * Reads the first items of a collection that a query selects, such as `itemsPerPage=5&order[name]=asc`. Throws ActionFailure, and
 * TypeError for an answer that is no page.
 */
export async function readItems<Name extends CollectionName>(
  name: Name,
  query: string,
): Promise<readonly ItemOf<Name>[]> {
  const page: CollectionPage<unknown> = readCollectionPage(await sendJson(`/${name}?${query}`))
  // The server has validated the items against the schema of this type.
  return page.items as readonly ItemOf<Name>[]
}
