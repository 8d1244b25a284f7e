import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { AuthorContext } from '#fairway/server/domains/actions'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'
import { paginationShape } from '#fairway/server/kernel/config/collections-config'
import type { Session } from '#fairway/shared/schemas/session'
import { declarationFaults, scopeOf } from './check-collection'
import type { Collection, CollectionScope, FilterKind, SqlSelect } from './collection'
import { type CheckedCollection, collectionSchema } from './collection-schema'
import { type CollectionProvider, createProviderReader } from './create-provider-reader'
import { mergeOptions } from './effective-options'
import type { CollectionReader } from './page'
import type { OrderBy, PaginationOptions } from './pagination-options'
import { createSqlReader } from './sql/create-sql-reader'

type FieldOf<Item extends z.ZodObject> = keyof z.output<Item> & string
type SessionFor<Public extends boolean> = Public extends true ? Session | null : Session
type RowOf<Source> = Source extends SQLiteTable ? Source['$inferSelect'] : Record<string, unknown>
type SqlSource = SQLiteTable | SqlSelect

export interface CollectionOptions<
  Item extends z.ZodObject,
  Source,
  Filter extends FieldOf<Item> = never,
  Order extends FieldOf<Item> = never,
  Public extends boolean = false,
> extends PaginationOptions {
  /** One sentence that says what the collection holds. */
  description: string
  /** The name of the item's type in documents, for example `Note`. */
  shortName?: string
  /** The fields of an item; `id` is the end of its address. */
  item: Item
  /** A table, a query over several, or a function that reads the page itself. */
  source: Source | CollectionProvider<z.input<Item>, SessionFor<Public>>
  /** Makes the item of a row; without it, the columns of the same names are read. */
  toItem?: (row: RowOf<Source>, session: SessionFor<Public>) => z.input<Item>
  /** One item of a function's collection; without it `/{id}` is not served. */
  getItem?: (
    id: string,
    context: AuthorContext<SessionFor<Public>>,
  ) => z.input<Item> | null | undefined | Promise<z.input<Item> | null | undefined>
  /** Whose rows people see; found out from the table's columns where they say it. */
  scope?: CollectionScope
  /** `true` lets callers without a session in. */
  public?: Public
  /** Must return (or resolve to) exactly `true`; everything else denies. */
  guard?: (context: { session: SessionFor<Public>; orgId: string | null }) => unknown
  /** How each field may be filtered by. */
  filters?: { readonly [field in Filter]: FilterKind | readonly FilterKind[] }
  /** The fields that a client may order by. */
  order?: readonly Order[]
  defaultOrder?: readonly { field: FieldOf<Item>; direction: OrderBy['direction'] }[]
  /** Options of one operation, over those of the collection. */
  operations?: { list?: PaginationOptions; get?: boolean }
}

/** A declared collection with the names that the build's types are made of. */
export interface DeclaredCollection<
  Item extends z.ZodObject,
  Filter extends string,
  Order extends string,
> extends Collection<Item> {
  filters: { readonly [field in Filter]: FilterKind | readonly FilterKind[] }
  order: readonly Order[]
}

/** Declares a collection; throws at load with each option that is wrong and what it accepts. */
export function defineCollection<
  Item extends z.ZodObject,
  Source extends SqlSource,
  const Filter extends FieldOf<Item> = never,
  const Order extends FieldOf<Item> = never,
  Public extends boolean = false,
>(options: CollectionOptions<Item, Source, Filter, Order, Public>): DeclaredCollection<Item, Filter, Order> {
  const parsed = parseDeclaration('defineCollection', collectionSchema, options)
  const faults = declarationFaults(parsed)
  if (faults.length > 0) throw new Error(`defineCollection: ${faults.join('; ')}`)
  const collection = mark('collection', toCollection(parsed))
  return collection as unknown as DeclaredCollection<Item, Filter, Order>
}

function toCollection(checked: CheckedCollection): Collection {
  const { description, shortName, item, filters, order, defaultOrder, guard, operations, source, getItem } = checked
  return {
    description,
    shortName,
    item,
    public: checked.public,
    guard,
    filters,
    order,
    defaultOrder,
    pagination: paginationOf(checked),
    operations: {
      list: operations.list,
      get: operations.get ?? (typeof source !== 'function' || getItem !== undefined),
    },
    reader: readerOf(checked) as CollectionReader<Record<string, unknown>>,
  }
}

const paginationOf = (checked: CheckedCollection): PaginationOptions =>
  Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(paginationShape, name)))

function readerOf(checked: CheckedCollection): CollectionReader {
  const { item, source, getItem, toItem, filters, order, defaultOrder, operations } = checked
  if (typeof source === 'function')
    return createProviderReader({ item, source: source as CollectionProvider<unknown, Session | null>, getItem })
  const pagination = mergeOptions([operations.list, paginationOf(checked)])
  const scope = scopeOf(checked)
  return createSqlReader({ item, source, toItem, scope, filters, order, defaultOrder, pagination })
}
