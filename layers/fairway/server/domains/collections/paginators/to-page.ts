import type { Page, PageSelection } from '../page'
import type {
  CursorPage,
  HasNextPagePaginatorInterface,
  PaginatorInterface,
  PartialPaginatorInterface,
  ProvidedPage,
} from './paginator'

/** The page that a collection's function returned; throws TypeError for what is no list at all. */
export function toPage<Item>(provided: ProvidedPage<Item>, selection: PageSelection): Page<Item> {
  if (isCursorPage(provided)) return fromCursorPage(provided, selection)
  if (!isIterable(provided)) throw new TypeError('the source of a collection returned neither a list nor a paginator')
  const items = Array.isArray(provided) ? (provided as readonly Item[]) : [...provided]
  if (!isPartialPaginator(provided)) return { mode: 'whole', items, totalItems: countOf(provided) }
  const totalItems = isPaginator(provided) ? provided.getTotalItems() : undefined
  if (selection.mode === 'whole') return { mode: 'whole', items, totalItems }
  const numbers = { items, page: provided.getCurrentPage(), itemsPerPage: provided.getItemsPerPage() }
  if (isPaginator(provided) && totalItems !== undefined)
    return { mode: 'full', ...numbers, lastPage: provided.getLastPage(), totalItems }
  return { mode: 'partial', ...numbers, hasNextPage: hasNext(provided, items.length) }
}

function fromCursorPage<Item>(page: CursorPage<Item>, selection: PageSelection): Page<Item> {
  const { items, next, previous } = page
  if (selection.mode === 'whole') return { mode: 'whole', items }
  return { mode: 'cursor', items, itemsPerPage: selection.limit, next, previous }
}

// Nothing better is known of a page that only says its size: a full one may be followed by another.
function hasNext(paginator: PartialPaginatorInterface, count: number): boolean {
  if (knowsNextPage(paginator)) return paginator.hasNextPage()
  return paginator.getItemsPerPage() > 0 && count >= paginator.getItemsPerPage()
}

function countOf(list: Iterable<unknown>): number | undefined {
  if (Array.isArray(list)) return list.length
  if ('size' in list && typeof list.size === 'number') return list.size
  return 'count' in list && typeof list.count === 'function' ? Number(list.count()) : undefined
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

const isCursorPage = <Item>(value: ProvidedPage<Item>): value is CursorPage<Item> =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)

const isPartialPaginator = <Item>(value: ProvidedPage<Item>): value is PartialPaginatorInterface<Item> =>
  'getCurrentPage' in value && 'getItemsPerPage' in value

const isPaginator = <Item>(value: ProvidedPage<Item>): value is PaginatorInterface<Item> =>
  'getLastPage' in value && 'getTotalItems' in value

const knowsNextPage = (value: unknown): value is HasNextPagePaginatorInterface =>
  typeof value === 'object' && value !== null && 'hasNextPage' in value && typeof value.hasNextPage === 'function'
