import type { CursorParameters, PageSelection } from './page'
import type { OrderBy } from './pagination-options'
import type { PartialPaginatorInterface } from './paginators/paginator'
import { SlicePaginator } from './paginators/slice-paginator'
import { TraversablePaginator } from './paginators/traversable-paginator'

/** Which rows a request asks for, checked and clamped: the only door to page, offset and limit. */
export interface Pagination {
  /** False when everything is asked for; `limit` is then one row more than may be sent at once. */
  readonly enabled: boolean
  /** Whether no total is wanted. */
  readonly partial: boolean
  readonly page: number
  readonly offset: number
  readonly limit: number
  /** The position of cursor pagination, and the fields it runs over. */
  readonly cursor: (CursorParameters & { via: readonly OrderBy[] }) | null
  /** The page made of exactly its items; without a total, a full page counts as followed by another. */
  toPage<Item>(
    items: readonly Item[],
    totalItems?: number,
  ): TraversablePaginator<Item> | PartialPaginatorInterface<Item> | Item[]
  /** The page made of `limit + 1` rows, without a total. */
  toSlice<Item>(rowsLimitPlusOne: readonly Item[]): SlicePaginator<Item> | Item[]
}

/** The same selection as providers and custom routes see it; frozen. */
export function toPagination(selection: PageSelection): Pagination {
  const enabled = selection.mode !== 'whole'
  const { page, offset } = 'page' in selection ? selection : { page: 1, offset: 0 }
  const limit = selection.mode === 'whole' ? selection.most + 1 : selection.limit
  return Object.freeze<Pagination>({
    enabled,
    partial: selection.mode === 'partial' || selection.mode === 'cursor',
    page,
    offset,
    limit,
    cursor: selection.mode === 'cursor' ? Object.freeze({ ...selection.cursor, via: selection.via }) : null,
    toPage(items, totalItems) {
      if (!enabled) return [...items]
      if (totalItems !== undefined) return new TraversablePaginator(items, page, limit, totalItems)
      return partialPage(items, page, limit)
    },
    toSlice: rows => (enabled ? new SlicePaginator(rows, page, limit) : [...rows]),
  })
}

const partialPage = <Item>(items: readonly Item[], page: number, limit: number): PartialPaginatorInterface<Item> => ({
  getCurrentPage: () => page,
  getItemsPerPage: () => limit,
  count: () => items.length,
  [Symbol.iterator]: () => items[Symbol.iterator](),
})
