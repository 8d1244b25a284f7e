import type { CollectionPage, CollectionView } from '#fairway/shared/collections/collection-page'
import type { ActionFailure } from '../request/action-failure'
import type { Filters, SortBy } from './list-state'

/** Where the links of a page lead. */
export type Turn = 'first' | 'last' | 'previous' | 'next'

/** What every item of a collection has besides its fields. */
export interface ListedItem {
  '@id': string
  '@type': string
}

/** The formats of a file of rows. */
type ExportFormat = 'csv' | 'jsonl'

/** A page as it is shown. */
export interface ShownPage<Item> extends CollectionPage<Item> {
  /** Its rows have come without being asked for: nothing is announced and nothing scrolls. */
  isQuiet?: true
}

/** What a change of the settings does besides. */
export interface ChangeOptions {
  /** Takes the place of the address in the history instead of adding one. */
  replace?: boolean
  /** Other keys of the page's query that change with it. */
  query?: Readonly<Record<string, string | undefined>>
}

interface Settings<Filter extends string = string, Order extends string = string> {
  filters?: { readonly [key in Filter]?: Filters[string] }
  order?: readonly (SortBy & { field: Order })[]
  /** Undefined leaves it to the server. */
  pageSize?: number
}

/** What a table and a pager need of a list: `useCollection` and `usePagedOperation` make one. */
export interface ShownList<Item> {
  /** `pages` shows one page at a time, `infinite` all that were loaded. */
  readonly mode: 'pages' | 'infinite'
  /** The newest page as it came; undefined until there is one. */
  readonly page: Readonly<Ref<ShownPage<Item> | undefined>>
  /** The rows, with what actions under way will have changed. */
  readonly items: Readonly<Ref<readonly Item[] | undefined>>
  readonly status: Readonly<Ref<'idle' | 'pending' | 'success' | 'error'>>
  /** Why the newest request did not give a page. */
  readonly error: Readonly<Ref<ActionFailure | undefined>>
  /** True while the rows answer an older question than the address asks. */
  readonly isStale: Readonly<Ref<boolean>>
  readonly order?: Readonly<Ref<readonly SortBy[]>>
  readonly pageSize?: Readonly<Ref<number | undefined>>
  /** The number of this page and of the last one, where the newest rows come first; the pager then says “Older” and “Newer”. */
  readonly numbers?: Readonly<Ref<{ page: number; last: number; total: number }>>
  /** Where all that the filters leave is downloaded from. */
  readonly exportPath?: (format: ExportFormat) => string
  /** Changes filters, order or page size and begins at the first page. */
  change?(settings: Settings, options?: ChangeOptions): Promise<void>
  /** Follows a link of the page; nothing happens when the page has no such link. */
  turn(where: Turn): Promise<void>
  /** Appends the next page (`infinite`). */
  loadMore?(): Promise<void>
  /** Asks for the same rows again; the old ones stay until the new ones are here. */
  refresh(): Promise<void>
}

/** A collection as a page works with it; made by `useCollection`. */
export interface CollectionList<
  Item = ListedItem,
  Filter extends string = string,
  Order extends string = string,
> extends Omit<ShownList<Item>, 'change' | 'exportPath'> {
  readonly totalItems: Readonly<Ref<number | undefined>>
  readonly view: Readonly<Ref<CollectionView | undefined>>
  /** Whether the policy of the table lets the person create rows; undefined until there is a page, and where the items have no `can`. */
  readonly canCreate: Readonly<Ref<boolean | undefined>>
  /** What the address of the page says. */
  readonly filters: Readonly<Ref<Filters>>
  readonly order: Readonly<Ref<readonly SortBy[]>>
  readonly pageSize: Readonly<Ref<number | undefined>>
  /** The address of a file with all rows that the filters leave, in the order of the list. */
  exportUrl(format: ExportFormat): string
  change(settings: Settings<Filter, Order>, options?: ChangeOptions): Promise<void>
  first(): Promise<void>
  last(): Promise<void>
  previous(): Promise<void>
  next(): Promise<void>
  loadMore(): Promise<void>
}

/** One column of a table over a collection; its cells come from the slot `cell-<key>`. */
export interface TableColumn {
  key: string
  /** The heading; a column of buttons has one too, and shows it to screen readers only. */
  label: string
  isLabelHidden?: boolean
  /** The field that the heading sorts by. */
  sort?: string
  /** The direction of the first press; `asc` by default. */
  firstDirection?: 'asc' | 'desc'
  /** Classes of the cells and of the heading. */
  class?: string
  /** Its texts are cut where they do not fit, and whole on hover. Give it a width in `class`, for example `w-full`. */
  isCut?: boolean
}

/** How a heading shows the direction of its column: an arrow down, the same one turned, or both. */
export const sortArrow = (direction: 'asc' | 'desc' | undefined) => ({
  trailingIcon: direction ? 'i-lucide-chevron-down' : 'i-lucide-chevrons-up-down',
  ui: { trailingIcon: direction === 'asc' ? 'rotate-180' : '' },
})

const NO_PAGE: CollectionPage<unknown> = { items: [] }

/** What a pager offers below this page: turning, and those page sizes; nothing of it for a list that fits. */
export function pagerParts(page = NO_PAGE, pageSizes: readonly number[] = []) {
  const { view, totalItems: total = Number.POSITIVE_INFINITY } = page
  const canTurn = view !== undefined && (view.previous ?? view.next) !== undefined
  const sizes = view !== undefined && total > Math.min(...pageSizes) ? pageSizes : []
  return { canTurn, sizes, isNeeded: canTurn || sizes.length > 0 }
}
