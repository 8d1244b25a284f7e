// Pages as authors work with them: what is asked for, and the paginators that they answer with.
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
 * Which rows this request asks for, by the options of the operation over the application's own; the same frozen answer each time.
 * Throws `invalid-input` (400) for a page or page size that means nothing.
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

/** Which rows a request asks for, checked and clamped. */
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
      return new PartialPaginator(items, page, limit)
    },
    toSlice: rows => (enabled ? new SlicePaginator(rows, page, limit) : [...rows]),
  })
}

/** A page whose total is not known. */
export interface PartialPaginatorInterface<Item = unknown> extends Iterable<Item> {
  getCurrentPage(): number
  getItemsPerPage(): number
  /** The items on this page. */
  count(): number
}

/** A page whose total is known. */
export interface PaginatorInterface<Item = unknown> extends PartialPaginatorInterface<Item> {
  getLastPage(): number
  getTotalItems(): number
}

/** A page that knows whether another one follows, with or without a total. */
export interface HasNextPagePaginatorInterface {
  hasNextPage(): boolean
}

/** A page of a source that goes on from a position of its own, for example another service's `has_more`. */
export interface CursorPage<Item = unknown> {
  items: readonly Item[]
  next?: Cursor
  previous?: Cursor
}

/** What a collection's function may return; a bare list is the whole collection. */
export type ProvidedPage<Item = unknown> =
  | PaginatorInterface<Item>
  | PartialPaginatorInterface<Item>
  | (PartialPaginatorInterface<Item> & HasNextPagePaginatorInterface)
  | CursorPage<Item>
  | Iterable<Item>

/** A page of its items and nothing else. */
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

/** A page without a total, made of one row more than it shows: the extra row says whether a next page exists. */
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

/** Exactly one page, with the numbers around it as they are given. */
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

  /** The items held; of a source that cannot be counted, what the page must have. */
  override count(): number {
    if (this.#isCounted) return super.count()
    const before = (this.getCurrentPage() - 1) * this.getItemsPerPage()
    return Math.min(this.getItemsPerPage(), Math.max(0, this.#totalItems - before))
  }
}

/** The page of a list that is held as a whole; an offset behind the end and a limit of 0 give an empty page. */
export class ArrayPaginator<Item> extends TraversablePaginator<Item> {
  constructor(all: readonly Item[], offset: number, limit: number) {
    const items = limit > 0 ? all.slice(offset, offset + limit) : []
    super(items, limit > 0 ? Math.floor(offset / limit) + 1 : 1, limit, all.length)
  }
}
