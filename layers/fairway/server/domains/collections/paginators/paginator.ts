import type { Cursor } from '../page'

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
