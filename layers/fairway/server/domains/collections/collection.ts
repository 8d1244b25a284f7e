// The types of a declared collection, its reader and its pages.
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { AuthorCall } from '#fairway/server/domains/actions'
import type { HeldFile } from '#fairway/server/domains/files'
import type { PolicyAction, Proving } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { isDeclared } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { OrderBy, PaginationOptions } from './effective-options'

/** A declared collection after its options were validated. */
export interface Collection<Item extends z.ZodObject = z.ZodObject> {
  description: string
  /** The name of the item's type in documents, for example `Note`; by default derived from the collection's name. */
  shortName?: string
  item: Item
  public: boolean
  /** Whether MCP hosts can read it with the tool `list-<name>`. */
  mcp: boolean
  guard?: ((context: { session: Session | null; orgId: string | null }) => unknown) & Proving<object>
  filters: Readonly<Record<string, FilterKind | readonly FilterKind[]>>
  /** The fields that a client may order by. */
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  /** What happens to filters and orders that it does not have; undefined for the setting of the application. */
  unknownParameters?: 'ignore' | 'refuse'
  pagination: PaginationOptions
  operations: { list: PaginationOptions; get: boolean }
  /** How the palette and forms search its items; undefined when they do not. */
  search?: CollectionSearch
  reader: CollectionReader<z.output<Item>>
  /** The fields that show a person. */
  people: readonly string[]
  /** The total that triggers maintain; undefined when totals are counted. */
  keptTotal?: KeptTotal
  /** The names of the tables that it reads, the root first; empty when a function reads the rows. */
  tables: readonly string[]
  /** The app roles that the policies of these tables name. */
  appRoles: readonly string[]
  /** The permissions that they name. */
  permissions: readonly string[]
}

/** How items are found by a text, and which of their fields are shown. */
export interface CollectionSearch {
  /** The field with an item's title. */
  title: string
  description?: string
  /** The filter of the kind `search` that receives the text. */
  filter: string
  /** The page of an item; `{field}` is replaced with a field of the item. */
  to: string
  icon?: string
  /** The locale key of the collection's name. */
  text?: string
}

/** Whether a value was made by defineCollection. */
export const isCollection = (value: unknown): value is Collection => isDeclared('collection', value)

/** `exact`: `?f=x` or any of `?f[]=x&f[]=y`; `range`: `?f[lt|lte|gt|gte]=x`; `search`: contains the text, case-insensitive. */
export type FilterKind = 'exact' | 'range' | 'search'

/**
 * Which rows a person sees. `shared`: the rows that `accessibleTo` selects (the default for tables with `ownableColumns()`).
 * `organization`: rows of the active organization (the default for tables with `orgId`). A function: the rows that its condition
 * selects. `everybody`: all rows for every signed-in person; it is never a default, so it has to be written out.
 */
export type CollectionScope = 'shared' | 'organization' | 'everybody' | ((session: Session) => SQL)

/** The parts of a declaration that the SQL reader uses. */
export interface SqlDeclaration {
  item: z.ZodObject
  source: SQLiteTable | SqlSelect
  /**
   * Converts a row to an item. By default, the fields of `item` are read from the columns with the same names, with dates as ISO
   * 8601.
   */
  toItem?: (row: Record<string, unknown>, session: Session | null) => unknown
  /** Fields that can be filtered but are not sent. */
  omit: readonly string[]
  /** Fields that show a person, each with the column that holds the address. */
  people?: Readonly<Record<string, string>>
  /** Undefined for public collections without a scope. */
  scope?: CollectionScope
  /** Whether callers without a session read it. */
  public?: boolean
  filters: Collection['filters']
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  /** The options of the list operation merged with those of the resource. The global defaults are not known yet. */
  pagination: PaginationOptions
  /** The total that triggers maintain, if any. */
  keptTotal?: KeptTotal
}

/** A total that triggers maintain: of a whole table, or of each organization's rows. */
export interface KeptTotal {
  name: string
  table: string
  /** The column with the organization; undefined when one total covers all rows. */
  scope?: string
}

/** A query of an author: a root table and its joins. */
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
  /** The result of drizzle's `and()`. A condition is required. */
  on: SQL | undefined
  /** `left` by default. */
  type?: 'left' | 'inner'
  /** How many of its rows match one row of the root; by default derived from unique keys. */
  kind?: 'one' | 'many'
  /** The field of the item for the joined rows (a list with `many`) and the columns that it contains. */
  as?: string
  columns?: Record<string, SQLiteColumn | SQL>
}

/**
 * Reads the pages and items of one collection, from SQL or through the author's function. Created once, when the collection is
 * declared.
 */
export interface CollectionReader<Item = unknown> {
  /** Throws `invalid-input` for values that the columns or the cursor do not accept, and `collection-too-large`. */
  readPage(context: ReadContext, query: CollectionQuery): Promise<Page<Item>>
  /** The number of rows that match the filters, for HEAD; null when the source cannot count without reading. */
  countItems(context: ReadContext, filters: readonly FilterCondition[]): Promise<number | null>
  /**
   * Yields all items that match the filters, in the order of the query; each batch is read when needed. Throws `invalid-input`
   * for invalid filters.
   */
  readAll(context: ReadContext, query: CollectionQuery): AsyncIterable<Item>
  readItem(context: ReadContext, id: string): Promise<Item | null>
  /** Fields that every cursor contains after those of its order: they distinguish equal rows. */
  keyFields?: readonly string[]
  /** Sets the name of the collection, which is part of the addresses of files. */
  serveAs?(name: string): void
  fileFields?: readonly string[]
  /**
   * Returns a file that a file column of the row holds and that its item shows to the caller; null for every other one. Other
   * fields of the item may have any shape.
   */
  readFile?(context: ReadContext, id: string, file: string): Promise<HeldFile | null>
  /** Whether pages report in `can` what the caller may do. */
  includesPermissions?: boolean
  /** The parts of its query that need an option which the simple runtime does not support, each with that option. */
  needs?: readonly RelationalNeed[]
}

export interface RelationalNeed {
  part: string
  option: 'paginationFetchJoinCollection' | 'paginationUseOutputWalkers'
}

/** The session that a collection is read for, and the request. */
export interface ReadContext extends AuthorCall<Session | null> {
  app: App
}

/** What one request selects from a collection; it only contains declared fields. */
export interface CollectionQuery {
  filters: readonly FilterCondition[]
  /** The order that the client requested; empty means the declared order. */
  order: readonly OrderBy[]
  selection: PageSelection
  /** Undefined lets the reader choose. */
  fetchJoinCollection?: boolean
  useOutputWalkers?: boolean
}

/** One condition of the request on a declared filter; values are unparsed. */
export type FilterCondition =
  | { kind: 'exact'; field: string; values: readonly string[] }
  | { kind: 'range'; field: string; operator: 'lt' | 'lte' | 'gt' | 'gte'; value: string }
  | { kind: 'search'; field: string; value: string }

/** The part of the collection that the request selects; numbers are already validated and limited. */
export type PageSelection =
  | { mode: 'whole'; most: number }
  | { mode: 'full' | 'partial'; page: number; offset: number; limit: number }
  | { mode: 'cursor'; limit: number; via: readonly OrderBy[]; format: 'bounds' | 'opaque'; cursor: CursorParameters }

/** The `lt` and `gt` of cursor fields, or the opaque token, as the client sent them; both empty on the first page. */
export interface CursorParameters {
  bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string }[]
  token?: string
}

/** A page and the data for its links. Two references to the same object always have the same content. */
export type Page<Item = unknown> = PagePart<Item> & {
  /** What the caller may do with the collection. Set when its items report in `can` what the caller may do with them. */
  can?: { create: boolean; members: readonly PolicyAction[] }
}

type PagePart<Item> =
  | { mode: 'whole'; items: readonly Item[]; totalItems?: number }
  | { mode: 'full'; items: readonly Item[]; page: number; itemsPerPage: number; lastPage: number; totalItems: number }
  | { mode: 'partial'; items: readonly Item[]; page: number; itemsPerPage: number; hasNextPage: boolean }
  | { mode: 'cursor'; items: readonly Item[]; itemsPerPage: number; next?: Cursor; previous?: Cursor }

/** Where the next or previous cursor page begins: bounds to send, or a token. `null` is the value of a nullable column. */
export type Cursor =
  | { bounds: readonly { field: string; operator: 'lt' | 'gt'; value: string | null }[] }
  | { token: string }

/** The number of the final page, at least 1. */
export const lastPageOf = (total: number, limit: number): number =>
  limit > 0 ? Math.max(1, Math.ceil(total / limit)) : 1

/** Throws `collection-too-large` when the request selects all rows and there are more than `most`, the limit of one answer. */
export function checkSize(count: number, most: number): void {
  if (count <= most) return
  throw new AppError('collection-too-large', {
    detail: `At most ${most} items are sent at once. Ask for pages, or filter.`,
  })
}

/** Returns an error for each field name in an option that the item does not have. */
export const unknownFields = (option: string, { shape }: z.ZodObject, names: readonly string[]): string[] =>
  names
    .filter(name => !Object.hasOwn(shape, name))
    .map(name => `${option}: the item has no field ${name}; its fields are ${Object.keys(shape).join(', ')}`)
