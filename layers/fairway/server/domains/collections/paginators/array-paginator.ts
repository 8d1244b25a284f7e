import type { HasNextPagePaginatorInterface, PaginatorInterface } from './paginator'

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
