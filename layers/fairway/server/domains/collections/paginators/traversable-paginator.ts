import { lastPageOf } from './array-paginator'
import type { HasNextPagePaginatorInterface, PaginatorInterface } from './paginator'

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
