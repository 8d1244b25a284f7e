import type { AuthorCall } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import type { OrderBy } from './pagination-options'

/** One condition of the request on a declared filter; values are as they were sent. */
export type FilterCondition =
  | { kind: 'exact'; field: string; values: readonly string[] }
  | { kind: 'range'; field: string; operator: 'lt' | 'lte' | 'gt' | 'gte'; value: string }
  | { kind: 'search'; field: string; value: string }

/** The `lt` and `gt` of cursor fields, or the opaque token, as they were sent; both empty on the first page. */
export interface CursorParameters {
  bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string }[]
  token?: string
}

/** Which part of the collection is asked for; numbers are checked and clamped already. */
export type PageSelection =
  | { mode: 'whole'; most: number }
  | { mode: 'full' | 'partial'; page: number; offset: number; limit: number }
  | { mode: 'cursor'; limit: number; via: readonly OrderBy[]; format: 'bounds' | 'opaque'; cursor: CursorParameters }

/** What one request asks of a collection; only declared fields occur in it. */
export interface CollectionQuery {
  filters: readonly FilterCondition[]
  /** What the client asked for; empty means the declared order. */
  order: readonly OrderBy[]
  selection: PageSelection
  /** Undefined leaves the choice to the reader. */
  fetchJoinCollection?: boolean
  useOutputWalkers?: boolean
}

/** Where a cursor page's neighbour begins: bounds to send, or a token. `null` is the value of a nullable column. */
export type Cursor =
  | { bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string | null }[] }
  | { token: string }

/** A page and what its links are made of. */
export type Page<Item = unknown> =
  | { mode: 'whole'; items: readonly Item[]; totalItems?: number }
  | { mode: 'full'; items: readonly Item[]; page: number; itemsPerPage: number; lastPage: number; totalItems: number }
  | { mode: 'partial'; items: readonly Item[]; page: number; itemsPerPage: number; hasNextPage: boolean }
  | { mode: 'cursor'; items: readonly Item[]; itemsPerPage: number; next?: Cursor; previous?: Cursor }

/** For whom a collection is read. */
export interface ReadContext extends AuthorCall<Session | null> {
  app: App
}

/** How the pages and items of one collection are read: from SQL, or from the author's function. Made once, when the collection is declared. */
export interface CollectionReader<Item = unknown> {
  /** Throws AppError `invalid-input` for values that the columns or the cursor do not accept. */
  readPage(context: ReadContext, query: CollectionQuery): Promise<Page<Item>>
  /** How many rows the filters leave, for HEAD; null when the source cannot tell without reading. */
  countItems(context: ReadContext, filters: readonly FilterCondition[]): Promise<number | null>
  readItem(context: ReadContext, id: string): Promise<Item | null>
  /** The fields that are part of every cursor, after those of its order: they tell equal rows apart. */
  keyFields?: readonly string[]
  /** What in its query cannot be cut into pages without an option that the simple runtime does not have, and that option. */
  needs?: readonly RelationalNeed[]
}

export interface RelationalNeed {
  part: string
  option: 'paginationFetchJoinCollection' | 'paginationUseOutputWalkers'
}
