import type { App } from '#fairway/server/kernel/app-context'
import type { CollectionQuery, Page } from '../page'
import type { OrderBy } from '../pagination-options'
import { readCursorPage } from './cursor-page'
import { readFullRows, readPartialRows, readWholeRows } from './offset-page'
import { pageOrder } from './order'
import type { PreparedRead } from './prepared-read'

/** The rows of a page, and the page once they are items. */
interface PageRows {
  rows: readonly (readonly unknown[])[]
  toPage(items: readonly unknown[]): Page
}

interface PageRequest {
  app: App
  read: PreparedRead
  query: CollectionQuery
  defaultOrder: readonly OrderBy[]
}

/** Reads the rows that a request selects. */
export async function readPageRows({ app, read, query, defaultOrder }: PageRequest): Promise<PageRows> {
  const { selection, order } = query
  if (selection.mode === 'cursor') {
    const { rows, next, previous } = await readCursorPage({ app, read, selection, order })
    return { rows, toPage: items => ({ mode: 'cursor', items, itemsPerPage: selection.limit, next, previous }) }
  }
  const terms = pageOrder(read.plan, order.length > 0 ? order : defaultOrder)
  if (selection.mode === 'whole') {
    const rows = await readWholeRows({ app, read, terms }, selection.most)
    return { rows, toPage: items => ({ mode: 'whole', items, totalItems: rows.length }) }
  }
  const { page, offset, limit: itemsPerPage } = selection
  const part = { offset, limit: itemsPerPage }
  if (selection.mode === 'partial') {
    const { rows, hasNextPage } = await readPartialRows({ app, read, terms }, part)
    return { rows, toPage: items => ({ mode: 'partial', items, page, itemsPerPage, hasNextPage }) }
  }
  const { rows, total: totalItems } = await readFullRows({ app, read, terms }, part)
  const lastPage = itemsPerPage > 0 ? Math.max(1, Math.ceil(totalItems / itemsPerPage)) : 1
  return { rows, toPage: items => ({ mode: 'full', items, page, itemsPerPage, lastPage, totalItems }) }
}
