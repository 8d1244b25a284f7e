import type { HasNextPagePaginatorInterface, PartialPaginatorInterface } from './paginator'

/** A page without a total, made of one row more than it shows: the extra row says whether a next page exists. */
export class SlicePaginator<Item> implements PartialPaginatorInterface<Item>, HasNextPagePaginatorInterface {
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
