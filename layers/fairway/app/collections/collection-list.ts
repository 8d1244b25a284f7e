import type { CollectionTypes } from '#fw/collection-types'
import type { CollectionPage, CollectionView } from '#fairway/shared/collections/collection-page'
import type { ActionFailure } from '../request/action-failure'
import type { Filters, SortBy } from './list-state'

/** The targets of a page's links. */
export type Turn = 'first' | 'last' | 'previous' | 'next'

/** The properties that every item of a collection has besides its fields. */
export interface ListedItem {
  '@id': string
  '@type': string
}

export type CollectionName = keyof CollectionTypes & string

/** An item of a collection as the browser receives it. */
export type ItemOf<Name extends CollectionName> = CollectionTypes[Name]['item'] & ListedItem

/** The formats of an export. */
type ExportFormat = 'csv' | 'jsonl'

/** A page as shown. */
export interface ShownPage<Item> extends CollectionPage<Item> {
  /** The rows arrived without a request by the user: no announcement and no scrolling. */
  isQuiet?: true
  /** There are more rows than `totalItems`; `countAll` requests their number. */
  isTotalCapped?: true
}

/** Additional effects of a change of settings. */
export interface ChangeOptions {
  /** Replaces the address in the history instead of adding one. */
  replace?: boolean
  /** Other keys of the page's query that change with it. */
  query?: Readonly<Record<string, string | undefined>>
}

interface Settings<Filter extends string = string, Order extends string = string> {
  filters?: { readonly [key in Filter]?: Filters[string] }
  order?: readonly (SortBy & { field: Order })[]
  /** Undefined uses the server's default. */
  pageSize?: number
}

/** The parts of a list that a table and a pager need. `useCollection` and `usePagedOperation` return one. */
export interface ShownList<Item> {
  /** `pages` shows one page at a time, `infinite` all that were loaded. */
  readonly mode: 'pages' | 'infinite'
  /** The newest page as received; undefined before the first one. */
  readonly page: Readonly<Ref<ShownPage<Item> | undefined>>
  /** The rows, including the effects of pending actions. */
  readonly items: Readonly<Ref<readonly Item[] | undefined>>
  readonly status: Readonly<Ref<'idle' | 'pending' | 'success' | 'error'>>
  /** The error of the newest request, if it failed. */
  readonly error: Readonly<Ref<ActionFailure | undefined>>
  /** True while the rows belong to an earlier request than the address describes. */
  readonly isStale: Readonly<Ref<boolean>>
  readonly order?: Readonly<Ref<readonly SortBy[]>>
  readonly pageSize?: Readonly<Ref<number | undefined>>
  /**
   * The number of this page and of the final one, for lists with the newest rows first. The pager then says “Older” and “Newer”.
   */
  readonly numbers?: Readonly<Ref<{ page: number; last: number }>>
  /** Changes filters, order or page size and returns to the first page. */
  change?(settings: Settings, options?: ChangeOptions): Promise<void>
  /** Follows a link of the page. Does nothing when the page has no such link. */
  turn(where: Turn): Promise<void>
  /** Appends the next page (`infinite`). */
  loadMore?(): Promise<void>
  /** Requests the exact total. */
  countAll?(): void
  /** Requests the same rows again. The old rows stay until the new ones arrive. */
  refresh(): Promise<void>
}

/** A collection as a page works with it; returned by `useCollection`. */
export interface CollectionList<
  Item = ListedItem,
  Filter extends string = string,
  Order extends string = string,
> extends Omit<ShownList<Item>, 'change'> {
  readonly totalItems: Readonly<Ref<number | undefined>>
  readonly view: Readonly<Ref<CollectionView | undefined>>
  /** Whether the table's policy lets the user create rows. Undefined before the first page, and for items without `can`. */
  readonly canCreate: Readonly<Ref<boolean | undefined>>
  /** What the policy lets every member do with every row: `read`, `create`, `update`, `delete`. Undefined as above. */
  readonly membersCan: Readonly<Ref<readonly string[] | undefined>>
  /** The filters in the address of the page. */
  readonly filters: Readonly<Ref<Filters>>
  readonly order: Readonly<Ref<readonly SortBy[]>>
  readonly pageSize: Readonly<Ref<number | undefined>>
  /** The address of a file with all rows that match the filters, in the order of the list. */
  exportUrl(format: ExportFormat): string
  change(settings: Settings<Filter, Order>, options?: ChangeOptions): Promise<void>
  first(): Promise<void>
  last(): Promise<void>
  previous(): Promise<void>
  next(): Promise<void>
  loadMore(): Promise<void>
}

/** One column of a table over a collection. The slot `cell-<key>` renders its cells. */
export interface TableColumn {
  key: string
  /** The heading. A column of buttons requires one too, but shows it to screen readers only. */
  label: string
  isLabelHidden?: boolean
  /** The field that the heading sorts by. */
  sort?: string
  /** The direction of the first press; `asc` by default. */
  firstDirection?: 'asc' | 'desc'
  /** Classes of the cells and of the heading. */
  class?: string
  /** Truncates texts that do not fit and shows them in full on hover. Set a width in `class`, for example `w-full`. */
  isCut?: boolean
}

/** A filter of a list with one value of several. */
export interface ListSelect {
  name: string
  label: string
  /** Empty without a filter. */
  value: string
  items: readonly { value: string; label: string; group?: string }[]
}

/** A filter whose first choice, `any`, filters nothing. */
export const toSelect = (named: Omit<ListSelect, 'items'>, any: string, items: ListSelect['items']): ListSelect => ({
  ...named,
  items: [{ value: '', label: any }, ...items],
})

/** The icon of a sorted column: one arrow for both directions, rotated for ascending order, or both arrows when unsorted. */
export const sortArrow = (direction: 'asc' | 'desc' | undefined) => ({
  trailingIcon: direction ? 'i-lucide-chevron-down' : 'i-lucide-chevrons-up-down',
  ui: { trailingIcon: direction === 'asc' ? 'rotate-180' : '' },
})

const NO_PAGE: CollectionPage<unknown> = { items: [] }

/** The controls of a pager below this page: page links and page sizes. Empty for a list that fits on one page. */
export function pagerParts(page = NO_PAGE, pageSizes: readonly number[] = []) {
  const { view, totalItems: total = Number.POSITIVE_INFINITY } = page
  const canTurn = view !== undefined && (view.previous ?? view.next) !== undefined
  const sizes = view !== undefined && total > Math.min(...pageSizes) ? pageSizes : []
  return { canTurn, sizes, isNeeded: canTurn || sizes.length > 0 }
}
