import { AppError } from '#fairway/server/kernel/http/app-error'
import type { CollectionQuery, Page, ReadContext } from './page'
import { lastPageOf } from './paginators/array-paginator'
import type { ServedCollection } from './served-collection'

/** The page that is asked for; throws `collection-too-large` when everything is asked for and it is too much for one answer. */
export async function readPage(context: ReadContext, served: ServedCollection, query: CollectionQuery): Promise<Page> {
  const page = await served.collection.reader.readPage(context, query)
  if (query.selection.mode === 'whole') checkSize(page.items.length, query.selection.most)
  return page
}

/** The page without its items, from a count alone; null where the count does not tell it. */
export async function countPage(
  context: ReadContext,
  served: ServedCollection,
  { selection, filters }: CollectionQuery,
): Promise<Page | null> {
  if (selection.mode !== 'whole' && selection.mode !== 'full') return null
  const totalItems = await served.collection.reader.countItems(context, filters)
  if (totalItems === null) return null
  if (selection.mode === 'whole') {
    checkSize(totalItems, selection.most)
    return { mode: 'whole', items: [], totalItems }
  }
  const { page, limit } = selection
  return { mode: 'full', items: [], page, itemsPerPage: limit, lastPage: lastPageOf(totalItems, limit), totalItems }
}

function checkSize(count: number, most: number): void {
  if (count <= most) return
  throw new AppError('collection-too-large', {
    detail: `At most ${most} items are sent at once. Ask for pages, or filter.`,
  })
}
