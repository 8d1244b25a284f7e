import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { requestQuery } from '#fairway/server/kernel/http/request-path'
import { effectiveOptions, type PaginationOptions, type OrderBy } from './effective-options'
import { parseQuery } from './query/query-tree'
import { cursorOrder, readOrder, readSelection } from './query/read-query'
import type { CursorParameters, PageSelection, Cursor } from './collection'

declare module 'h3' {
  interface H3EventContext {
    pagination?: Map<PaginationOptions, Pagination>
  }
}

const NOTHING_SET: PaginationOptions = Object.freeze({})

/**
 * Which rows this request asks for, by the options of the operation over the application's own; the same frozen answer each time.
 * Throws `invalid-input` (400) for a page or page size that means nothing.
 */
export function usePagination(event: H3Event, operation: PaginationOptions = NOTHING_SET): Pagination {
  const read = (event.context.pagination ??= new Map<PaginationOptions, Pagination>())
  const known = read.get(operation)
  if (known) return known
  const { collections: config } = getApp(event).config
  const options = effectiveOptions([operation, config.defaults])
  const query = parseQuery(requestQuery(event))
  const fields = new Set(options.viaCursor?.map(({ field }) => field))
  const order = readOrder(query, config.orderParameterName, fields)
  const via = options.viaCursor && cursorOrder(options.viaCursor, order)
  const pagination = toPagination(readSelection(query, { options, config, via }))
  read.set(operation, pagination)
  return pagination
}

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

/** The page of a list that is held as a whole; an offset behind the end and a limit of 0 give an empty page. */
export class ArrayPaginator<Item> implements PaginatorInterface<Item>, HasNextPagePaginatorInterface {
  readonly #items: readonly Item[]
  readonly #offset: number
  readonly #limit: number
  readonly #total: number

  constructor(all: readonly Item[], offset: number, limit: number) {
    this.#items = limit > 0 ? all.slice(offset, offset + limit) : []
    this.#offset = offset
    this.#limit = limit
    this.#total = all.length
  }

  getCurrentPage(): number {
    return this.#limit > 0 ? Math.floor(this.#offset / this.#limit) + 1 : 1
  }

  getLastPage(): number {
    return lastPageOf(this.#total, this.#limit)
  }

  getItemsPerPage(): number {
    return this.#limit
  }

  getTotalItems(): number {
    return this.#total
  }

  hasNextPage(): boolean {
    return this.getCurrentPage() < this.getLastPage()
  }

  count(): number {
    return this.#items.length
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items[Symbol.iterator]()
  }
}

/** The number of the last page, at least 1. */
export const lastPageOf = (total: number, limit: number): number =>
  limit > 0 ? Math.max(1, Math.ceil(total / limit)) : 1

/** Exactly one page, with the numbers around it as they are given. */
export class TraversablePaginator<Item> implements PaginatorInterface<Item>, HasNextPagePaginatorInterface {
  readonly #items: Iterable<Item>
  readonly #currentPage: number
  readonly #itemsPerPage: number
  readonly #totalItems: number

  constructor(items: Iterable<Item>, currentPage: number, itemsPerPage: number, totalItems: number) {
    this.#items = items
    this.#currentPage = currentPage
    this.#itemsPerPage = itemsPerPage
    this.#totalItems = totalItems
  }

  getCurrentPage(): number {
    return this.#currentPage
  }

  getLastPage(): number {
    return lastPageOf(this.#totalItems, this.#itemsPerPage)
  }

  getItemsPerPage(): number {
    return this.#itemsPerPage
  }

  getTotalItems(): number {
    return this.#totalItems
  }

  hasNextPage(): boolean {
    return this.#currentPage < this.getLastPage()
  }

  /** The items held; of a source that cannot be counted, what the page must have. */
  count(): number {
    if (Array.isArray(this.#items)) return this.#items.length
    const before = (this.#currentPage - 1) * this.#itemsPerPage
    return Math.min(this.#itemsPerPage, Math.max(0, this.#totalItems - before))
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items[Symbol.iterator]()
  }
}

/** A page without a total, made of one row more than it shows: the extra row says whether a next page exists. */
class SlicePaginator<Item> implements PartialPaginatorInterface<Item>, HasNextPagePaginatorInterface {
  readonly #items: readonly Item[]
  readonly #currentPage: number
  readonly #itemsPerPage: number
  readonly #hasNextPage: boolean

  constructor(rowsLimitPlusOne: readonly Item[], currentPage: number, itemsPerPage: number) {
    this.#items = rowsLimitPlusOne.slice(0, itemsPerPage)
    this.#currentPage = currentPage
    this.#itemsPerPage = itemsPerPage
    this.#hasNextPage = itemsPerPage > 0 && rowsLimitPlusOne.length > itemsPerPage
  }

  getCurrentPage(): number {
    return this.#currentPage
  }

  getItemsPerPage(): number {
    return this.#itemsPerPage
  }

  hasNextPage(): boolean {
    return this.#hasNextPage
  }

  count(): number {
    return this.#items.length
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items[Symbol.iterator]()
  }
}
