// Reads collections through an author's function.
import { z } from 'zod'
import { type AuthorContext, authorContext } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import {
  checkSize,
  type CollectionQuery,
  type CollectionReader,
  type Cursor,
  type CursorParameters,
  type FilterCondition,
  type Page,
  type PageSelection,
  type ReadContext,
} from './collection'
import type { OrderBy } from './effective-options'
import {
  type CursorPage,
  type HasNextPagePaginatorInterface,
  type Pagination,
  type PaginatorInterface,
  type PartialPaginatorInterface,
  type ProvidedPage,
  toPagination,
} from './pagination'

/** The argument of a collection's function: the context of author code, and the conditions and selection of the request. */
interface ProviderRequest<S extends Session | null = Session> extends AuthorContext<S> {
  filters: readonly FilterCondition[]
  /** The order that the client requested; empty means the declared order. */
  order: readonly OrderBy[]
  pagination: Pagination
}

/** Reads the pages of one collection: returns a paginator, a cursor page, or a list with the whole collection. */
export type CollectionProvider<Item, S extends Session | null = Session, Proof = unknown> = (
  request: ProviderRequest<S> & Proof,
) => ProvidedPage<Item> | Promise<ProvidedPage<Item>>

export interface ProviderDeclaration {
  item: z.ZodObject
  source: CollectionProvider<unknown, Session | null>
  getItem?: (id: string, context: AuthorContext<Session | null>) => unknown
}

/** Creates a reader that calls an author's function. It validates the result and drops all fields that the item does not have. */
export function createProviderReader({ item, source, getItem }: ProviderDeclaration): CollectionReader {
  const list = z.array(item)
  async function readPage({ app, ...call }: ReadContext, { filters, order, selection }: CollectionQuery) {
    const provided = await source({
      ...authorContext(app, call),
      filters,
      order,
      pagination: toPagination(selection),
    })
    const page = toPage(provided, selection)
    if (selection.mode === 'whole') checkSize(page.items.length, selection.most)
    return { ...page, items: checked(list, page.items) } as Page
  }
  return {
    readPage,
    async *readAll(context, query) {
      for (let selection: PageSelection | undefined = query.selection; selection;) {
        const page = await readPage(context, { ...query, selection })
        yield* page.items
        selection = selectionAfter(selection, page)
      }
    },
    async countItems() {
      return null
    },
    async readItem({ app, ...call }, id) {
      const answered = await getItem?.(id, authorContext(app, call))
      return answered === undefined || answered === null ? null : checked(item, answered)
    },
  }
}

/** The selection of the following page; undefined after the final page and after an empty one. */
function selectionAfter(selection: PageSelection, page: Page): PageSelection | undefined {
  if (page.items.length === 0) return undefined
  if (page.mode === 'cursor') {
    if (!page.next) return undefined
    if (selection.mode !== 'cursor')
      throw new Error('a source that returns next is asked for that page only with paginationViaCursor')
    return { ...selection, cursor: parametersOf(page.next) }
  }
  const isFollowed = page.mode === 'full' ? page.page < page.lastPage : page.mode === 'partial' && page.hasNextPage
  if (!isFollowed || !('page' in selection)) return undefined
  return { ...selection, page: selection.page + 1, offset: selection.offset + selection.limit }
}

/** A cursor in the form that a client sends. */
const parametersOf = (cursor: Cursor): CursorParameters =>
  'token' in cursor
    ? { bounds: [], token: cursor.token }
    : { bounds: cursor.bounds.map(bound => ({ ...bound, value: bound.value ?? '' })) }

/** Parses a value of an author's code: fields outside the schema are dropped. Throws `internal` when it does not match. */
export function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AppError('internal', {
    cause: `an item does not fit the schema of its collection: ${z.prettifyError(parsed.error)}`,
  })
}

/** Converts the result of a collection's function to a page. Throws TypeError when it is not a list. */
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

// A page that only knows its size gives no better answer: a full one may be followed by another.
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
