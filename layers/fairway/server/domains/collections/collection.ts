// What a declared collection is, how its reader is asked, and what a page is.
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { AuthorCall } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { isDeclared } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { OrderBy, PaginationOptions } from './effective-options'

/** A declared collection: what its options became. */
export interface Collection<Item extends z.ZodObject = z.ZodObject> {
  description: string
  /** The name of the item's type in documents, for example `Note`; made of the collection's name when it is not given. */
  shortName?: string
  item: Item
  public: boolean
  /** Whether MCP hosts read it by the tool `list-<name>`. */
  mcp: boolean
  guard?: (context: { session: Session | null; orgId: string | null }) => unknown
  filters: Readonly<Record<string, FilterKind | readonly FilterKind[]>>
  /** The fields that a client may order by. */
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  pagination: PaginationOptions
  operations: { list: PaginationOptions; get: boolean }
  /** How the palette and forms find its items; undefined where they do not. */
  search?: CollectionSearch
  reader: CollectionReader<z.output<Item>>
  /** The total that triggers keep for it; undefined where totals are counted. */
  keptTotal?: KeptTotal
  /** The names of the tables that its rows are read from, the root first; empty where a function reads them. */
  tables: readonly string[]
  /** The app roles that the policies of these tables name. */
  appRoles: readonly string[]
}

/** How items are found by a text, and what is shown of one that was found. */
export interface CollectionSearch {
  /** The field that names an item. */
  title: string
  description?: string
  /** The filter of the kind `search` that gets the text. */
  filter: string
  /** The page of an item; `{field}` stands for a field of it. */
  to: string
  icon?: string
  /** The key of the text that names the collection. */
  text?: string
}

/** Whether a value was made by defineCollection. */
export const isCollection = (value: unknown): value is Collection => isDeclared('collection', value)

/** `exact`: `?f=x` or any of `?f[]=x&f[]=y`; `range`: `?f[lt|lte|gt|gte]=x`; `search`: the text occurs, case ignored. */
export type FilterKind = 'exact' | 'range' | 'search'

/**
 * Whose rows a person sees. `shared`: by `accessibleTo` (tables with `ownableColumns()`; the default there).
 * `organization`: rows of the active organization (tables with `orgId`; the default there). A function: its condition.
 * `everybody`: every signed-in person sees all rows; written out on purpose.
 */
export type CollectionScope = 'shared' | 'organization' | 'everybody' | ((session: Session) => SQL)

/** What the SQL reader of a collection is made of. */
export interface SqlDeclaration {
  item: z.ZodObject
  source: SQLiteTable | SqlSelect
  /** Makes the item of a row; by default the fields of `item` are read from the columns of the same name, dates as ISO 8601. */
  toItem?: (row: Record<string, unknown>, session: Session | null) => unknown
  /** Fields that are filtered by and not sent. */
  omit: readonly string[]
  /** Undefined for public collections without a scope. */
  scope?: CollectionScope
  filters: Collection['filters']
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  /** Of the list operation, over the resource; the global defaults are not known yet. */
  pagination: PaginationOptions
  /** The total that triggers keep, where one does. */
  keptTotal?: KeptTotal
}

/** A total that is kept: of a whole table, or of each organization's rows. */
export interface KeptTotal {
  name: string
  table: string
  /** The column that tells organizations apart; undefined where all rows are one. */
  scope?: string
}

/** A query of an author: a root table and what is joined to it. */
export interface SqlSelect {
  root: SQLiteTable
  /** Fields of the item that are not plain columns of the root. */
  columns?: Record<string, SQLiteColumn | SQL>
  joins?: readonly SqlJoin[]
  where?: SQL
  groupBy?: readonly (SQLiteColumn | SQL)[]
  having?: SQL
}

/** A table that a query of a collection reads besides its root. */
export interface SqlJoin {
  table: SQLiteTable
  /** As drizzle's `and()` gives it; there has to be one. */
  on: SQL | undefined
  /** `left` by default. */
  type?: 'left' | 'inner'
  /** How many of its rows belong to one row of the root; found out from unique keys when it is not given. */
  kind?: 'one' | 'many'
  /** The field of the item that holds the joined rows (`many`: a list) and which of their columns. */
  as?: string
  columns?: Record<string, SQLiteColumn | SQL>
}

/** How the pages and items of one collection are read: from SQL, or from the author's function. Made once, when the collection is declared. */
export interface CollectionReader<Item = unknown> {
  /** Throws `invalid-input` for values that the columns or the cursor do not accept, and `collection-too-large`. */
  readPage(context: ReadContext, query: CollectionQuery): Promise<Page<Item>>
  /** The same page at once, where nothing that it is made of was written since it was last read; undefined otherwise. */
  keptPage?(context: Pick<ReadContext, 'app' | 'session'>, query: CollectionQuery): Page<Item> | undefined
  /** How many rows the filters leave, for HEAD; null when the source cannot tell without reading. */
  countItems(context: ReadContext, filters: readonly FilterCondition[]): Promise<number | null>
  /**
   * All items that the filters leave, in the order of the query, each piece read when it is asked for. Throws `invalid-input` for
   * filters that mean nothing.
   */
  readAll(context: ReadContext, query: CollectionQuery): AsyncIterable<Item>
  readItem(context: ReadContext, id: string): Promise<Item | null>
  /** The fields that are part of every cursor, after those of its order: they tell equal rows apart. */
  keyFields?: readonly string[]
  /** Tells it the name of the collection, which is in the addresses of files. */
  serveAs?(name: string): void
  /** The fields that hold files. */
  fileFields?: readonly string[]
  /** Whether its pages say in `can` what the caller may do. */
  saysCan?: boolean
  /** What in its query cannot be cut into pages without an option that the simple runtime does not have, and that option. */
  needs?: readonly RelationalNeed[]
}

export interface RelationalNeed {
  part: string
  option: 'paginationFetchJoinCollection' | 'paginationUseOutputWalkers'
}

/** The session that a collection is read for, and the request that asks. */
export interface ReadContext extends AuthorCall<Session | null> {
  app: App
}

/** What one request asks of a collection; only declared fields occur in it. */
export interface CollectionQuery {
  filters: readonly FilterCondition[]
  /** What the client asked for; empty means the declared order. */
  order: readonly OrderBy[]
  selection: PageSelection
  /** Everything above in words, where the query is used again. */
  key?: string
  /** Undefined leaves the choice to the reader. */
  fetchJoinCollection?: boolean
  useOutputWalkers?: boolean
}

/** What a query asks for, in the same words for the same. */
export const queryKey = ({ filters, order, selection }: CollectionQuery): string =>
  JSON.stringify([filters, order, selection])

/** One condition of the request on a declared filter; values are as they were sent. */
export type FilterCondition =
  | { kind: 'exact'; field: string; values: readonly string[] }
  | { kind: 'range'; field: string; operator: 'lt' | 'lte' | 'gt' | 'gte'; value: string }
  | { kind: 'search'; field: string; value: string }

/** Which part of the collection is asked for; numbers are checked and clamped already. */
export type PageSelection =
  | { mode: 'whole'; most: number }
  | { mode: 'full' | 'partial'; page: number; offset: number; limit: number }
  | { mode: 'cursor'; limit: number; via: readonly OrderBy[]; format: 'bounds' | 'opaque'; cursor: CursorParameters }

/** The `lt` and `gt` of cursor fields, or the opaque token, as they were sent; both empty on the first page. */
export interface CursorParameters {
  bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string }[]
  token?: string
}

/** A page and what its links are made of. A page that is the same object has the same content. */
export type Page<Item = unknown> = PagePart<Item> & {
  /** What the caller may do with the collection, where its items say in `can` what the caller may do with them. */
  can?: { create: boolean }
}

type PagePart<Item> =
  | { mode: 'whole'; items: readonly Item[]; totalItems?: number }
  | { mode: 'full'; items: readonly Item[]; page: number; itemsPerPage: number; lastPage: number; totalItems: number }
  | { mode: 'partial'; items: readonly Item[]; page: number; itemsPerPage: number; hasNextPage: boolean }
  | { mode: 'cursor'; items: readonly Item[]; itemsPerPage: number; next?: Cursor; previous?: Cursor }

/** Where a cursor page's neighbour begins: bounds to send, or a token. `null` is the value of a nullable column. */
export type Cursor =
  | { bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string | null }[] }
  | { token: string }

/** The number of the last page, at least 1. */
export const lastPageOf = (total: number, limit: number): number =>
  limit > 0 ? Math.max(1, Math.ceil(total / limit)) : 1

/** Throws `collection-too-large` where everything is asked for and it is more than `most`, which one answer may hold. */
export function checkSize(count: number, most: number): void {
  if (count <= most) return
  throw new AppError('collection-too-large', {
    detail: `At most ${most} items are sent at once. Ask for pages, or filter.`,
  })
}

/** What is wrong with names of fields that an option gives; none for those that the item has. */
export const unknownFields = (option: string, { shape }: z.ZodObject, names: readonly string[]): string[] =>
  names
    .filter(name => !Object.hasOwn(shape, name))
    .map(name => `${option}: the item has no field ${name}; its fields are ${Object.keys(shape).join(', ')}`)
