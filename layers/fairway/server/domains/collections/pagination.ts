// Pagination for authors: the parameters of a request, and the paginators that they return.
import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { requestQuery } from '#fairway/server/kernel/http/request-info'
import { type Cursor, type CursorParameters, lastPageOf, type PageSelection } from './collection'
import { effectiveOptions, type OrderBy, type PaginationOptions } from './effective-options'
import { parseQuery, type QueryTree } from './query/query-tree'
import { readPaging } from './query/read-query'

declare module 'h3' {
  interface H3EventContext {
    pagination?: { query: QueryTree; byOperation: Map<PaginationOptions, Pagination> }
  }
}

const NOTHING_SET: PaginationOptions = Object.freeze({})

/**
 * The part of the collection that this request selects, by the options of the operation and the application's defaults. Returns
 * the same frozen object for the same request. Throws `invalid-input` (400) for an invalid page or page size.
 */
export function usePagination(event: H3Event, operation: PaginationOptions = NOTHING_SET): Pagination {
  const { query, byOperation } = (event.context.pagination ??= {
    query: parseQuery(requestQuery(event)),
    byOperation: new Map<PaginationOptions, Pagination>(),
  })
  const known = byOperation.get(operation)
  if (known) return known
  const { collections: config } = getApp(event).config
  const options = effectiveOptions([operation, config.defaults])
  const orderFields = new Set(options.viaCursor?.map(({ field }) => field))
  const pagination = toPagination(readPaging(query, { options, config, orderFields }).selection)
  byOperation.set(operation, pagination)
  return pagination
}

/** The rows that a request selects, validated and limited. */
export interface Pagination {
  /** False when the request selects all rows; `limit` is then one row more than one answer may contain. */
  readonly enabled: boolean
  /** Whether the request wants no total. */
  readonly partial: boolean
  readonly page: number
  readonly offset: number
  readonly limit: number
  /** The position of cursor pagination, and its fields. */
  readonly cursor: (CursorParameters & { via: readonly OrderBy[] }) | null
  /** Creates the page from exactly its items. Without a total, a full page counts as followed by another. */
  toPage<Item>(
    items: readonly Item[],
    totalItems?: number,
  ): TraversablePaginator<Item> | PartialPaginatorInterface<Item> | Item[]
  /** Creates the page from `limit + 1` rows, without a total. */
  toSlice<Item>(rowsLimitPlusOne: readonly Item[]): SlicePaginator<Item> | Item[]
}

/** The selection for providers and custom routes; frozen. */
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
      return new PartialPaginator(items, page, limit)
    },
    toSlice: rows => (enabled ? new SlicePaginator(rows, page, limit) : [...rows]),
  })
}

/** A page with an unknown total. */
export interface PartialPaginatorInterface<Item = unknown> extends Iterable<Item> {
  getCurrentPage(): number
  getItemsPerPage(): number
  /** The items on this page. */
  count(): number
}

/** A page with a known total. */
export interface PaginatorInterface<Item = unknown> extends PartialPaginatorInterface<Item> {
  getLastPage(): number
  getTotalItems(): number
}

/** A page that knows whether another one follows, with or without a total. */
export interface HasNextPagePaginatorInterface {
  hasNextPage(): boolean
}

/** A page of a source with separate cursors, for example another service's `has_more`. */
export interface CursorPage<Item = unknown> {
  items: readonly Item[]
  next?: Cursor
  previous?: Cursor
}

/** The return value of a collection's function; a plain list is the whole collection. */
export type ProvidedPage<Item = unknown> =
  | PaginatorInterface<Item>
  | PartialPaginatorInterface<Item>
  | (PartialPaginatorInterface<Item> & HasNextPagePaginatorInterface)
  | CursorPage<Item>
  | Iterable<Item>

/** A page with only its items. */
class PartialPaginator<Item> implements PartialPaginatorInterface<Item> {
  readonly #items: Iterable<Item>
  readonly #currentPage: number
  readonly #itemsPerPage: number

  constructor(items: Iterable<Item>, currentPage: number, itemsPerPage: number) {
    this.#items = items
    this.#currentPage = currentPage
    this.#itemsPerPage = itemsPerPage
  }

  getCurrentPage(): number {
    return this.#currentPage
  }

  getItemsPerPage(): number {
    return this.#itemsPerPage
  }

  count(): number {
    return Array.isArray(this.#items) ? this.#items.length : [...this.#items].length
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items[Symbol.iterator]()
  }
}

/** A page without a total, made of one row more than it shows. The extra row proves that a next page exists. */
class SlicePaginator<Item> extends PartialPaginator<Item> implements HasNextPagePaginatorInterface {
  readonly #hasNextPage: boolean

  constructor(rowsLimitPlusOne: readonly Item[], currentPage: number, itemsPerPage: number) {
    super(rowsLimitPlusOne.slice(0, itemsPerPage), currentPage, itemsPerPage)
    this.#hasNextPage = itemsPerPage > 0 && rowsLimitPlusOne.length > itemsPerPage
  }

  hasNextPage(): boolean {
    return this.#hasNextPage
  }
}

/** Exactly one page, with the given numbers. */
export class TraversablePaginator<Item>
  extends PartialPaginator<Item>
  implements PaginatorInterface<Item>, HasNextPagePaginatorInterface
{
  readonly #isCounted: boolean
  readonly #totalItems: number

  constructor(items: Iterable<Item>, currentPage: number, itemsPerPage: number, totalItems: number) {
    super(items, currentPage, itemsPerPage)
    this.#isCounted = Array.isArray(items)
    this.#totalItems = totalItems
  }

  getLastPage(): number {
    return lastPageOf(this.#totalItems, this.getItemsPerPage())
  }

  getTotalItems(): number {
    return this.#totalItems
  }

  hasNextPage(): boolean {
    return this.getCurrentPage() < this.getLastPage()
  }

  /** The number of items held or, for a source that cannot be counted, the expected number. */
  override count(): number {
    if (this.#isCounted) return super.count()
    const before = (this.getCurrentPage() - 1) * this.getItemsPerPage()
    return Math.min(this.getItemsPerPage(), Math.max(0, this.#totalItems - before))
  }
}

/** The page of a list that is held in memory. An offset beyond the end or a limit of 0 returns an empty page. */
export class ArrayPaginator<Item> extends TraversablePaginator<Item> {
  constructor(all: readonly Item[], offset: number, limit: number) {
    const items = limit > 0 ? all.slice(offset, offset + limit) : []
    super(items, limit > 0 ? Math.floor(offset / limit) + 1 : 1, limit, all.length)
  }
}
