import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Session } from '#fairway/shared/schemas/session'
import type { CollectionReader } from './page'
import type { OrderBy, PaginationOptions } from './pagination-options'

/** `exact`: `?f=x` or any of `?f[]=x&f[]=y`; `range`: `?f[lt|lte|gt|gte]=x`; `search`: the text occurs, case ignored. */
export type FilterKind = 'exact' | 'range' | 'search'

/** A table that a query of a collection reads besides its root. */
export interface SqlJoin {
  table: SQLiteTable
  on: SQL
  /** `left` by default. */
  type?: 'left' | 'inner'
  /** How many of its rows belong to one row of the root; found out from unique keys when it is not given. */
  kind?: 'one' | 'many'
  /** The field of the item that holds the joined rows (`many`: a list) and which of their columns. */
  as?: string
  columns?: Record<string, SQLiteColumn | SQL>
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
  /** Undefined for public collections without a scope. */
  scope?: CollectionScope
  filters: Collection['filters']
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  /** Of the list operation, over the resource; the global defaults are not known yet. */
  pagination: PaginationOptions
}

/** A declared collection as the framework serves it. */
export interface Collection<Item extends z.ZodObject = z.ZodObject> {
  description: string
  /** The name of the item's type in documents, for example `Note`; made of the collection's name when it is not given. */
  shortName?: string
  item: Item
  public: boolean
  guard?: (context: { session: Session | null; orgId: string | null }) => unknown
  filters: Readonly<Record<string, FilterKind | readonly FilterKind[]>>
  /** The fields that a client may order by. */
  order: readonly string[]
  defaultOrder: readonly OrderBy[]
  pagination: PaginationOptions
  operations: { list: PaginationOptions; get: boolean }
  reader: CollectionReader<z.output<Item>>
}
