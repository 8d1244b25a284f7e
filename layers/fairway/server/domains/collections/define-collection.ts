// Declares collections: the options, their validation at load, and the reader.
import { getTableColumns, getTableName, is, SQL } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { AuthorContext } from '#fairway/server/domains/actions'
import {
  namedIn,
  openToEveryone,
  policyOf,
  type Proving,
  type SharedTable,
} from '#fairway/server/domains/organizations'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'
import { paginationShape, unknownParameters } from '#fairway/server/kernel/config/collections-config'
import type { Session } from '#fairway/shared/schemas/session'
import {
  type Collection,
  type CollectionReader,
  type CollectionScope,
  type FilterKind,
  type KeptTotal,
  type SqlDeclaration,
  type SqlSelect,
} from './collection'
import { mergeOptions, type OrderBy, type PaginationOptions } from './effective-options'
import { type CollectionProvider, createProviderReader, type ProviderDeclaration } from './provider-reader'
import { cursorFaults, fieldFaults, omitFaults, peopleFaults } from './field-faults'
import { searchFaults, searchSchema, settleSearch } from './search'
import { keptTotalOf, scopeFaults } from './sql/kept-total'
import { createSqlReader } from './sql/reader'

type FieldOf<Item extends z.ZodObject> = keyof z.output<Item> & string
type SessionFor<Public extends boolean> = Public extends true ? Session | null : Session
type RowOf<Source> = Source extends SQLiteTable ? Source['$inferSelect'] : Record<string, unknown>
type SqlSource = SQLiteTable | SqlSelect

interface CollectionOptions<
  Item extends z.ZodObject,
  Source,
  Filter extends FieldOf<Item> = never,
  Order extends FieldOf<Item> = never,
  Public extends boolean = false,
  Proof = unknown,
> extends PaginationOptions {
  /** One sentence that says what the collection holds. */
  description: string
  /** The name of the item's type in documents, for example `Note`. */
  shortName?: string
  /** The fields of an item; its address ends with `id`. */
  item: Item
  /** A table, a query over several tables, or a function that reads the page. */
  source: Source | CollectionProvider<z.input<Item>, SessionFor<Public>, Proof>
  /** Converts a row to an item; without it, the columns with the same names are read. */
  toItem?: (row: RowOf<Source>, session: SessionFor<Public>) => z.input<Item>
  /** Fields that can be filtered but are not sent; they must be optional in `item`. */
  omit?: readonly FieldOf<Item>[]
  /** Fields that show a person as `shownPersonSchema` has it, each with the column of the source that holds the address. */
  people?: { readonly [field in FieldOf<Item>]?: string }
  /** Reads one item of a function's collection; without it, `/{id}` is not served. */
  getItem?: (
    id: string,
    context: AuthorContext<SessionFor<Public>> & Proof,
  ) => z.input<Item> | null | undefined | Promise<z.input<Item> | null | undefined>
  /** Which rows a person sees; by default derived from the columns of the table. */
  scope?: CollectionScope
  /** `true` lets callers without a session in. */
  public?: Public
  /** `false` hides it from MCP hosts, which otherwise get the tool `list-<name>`. */
  mcp?: boolean
  /** Must return (or resolve to) exactly `true`; everything else denies. A source function has the types that it proves. */
  guard?: ((context: { session: SessionFor<Public>; orgId: string | null }) => unknown) & Proving<Proof>
  /**
   * Maintains the total without filters with triggers on the table, which count every write. For large tables; writes become
   * slower.
   */
  keepTotal?: boolean
  /** The kinds of filter of each field. */
  filters?: { readonly [field in Filter]: FilterKind | readonly FilterKind[] }
  /** The fields that a client may order by. */
  order?: readonly Order[]
  defaultOrder?: readonly { field: FieldOf<Item>; direction: OrderBy['direction'] }[]
  /** `refuse` answers filters and orders that it does not have with 400 `unknown-filter`; by default as in fw.config. */
  unknownParameters?: 'ignore' | 'refuse'
  /** Lets the palette and form fields search items by text. */
  search?: {
    /** The field with an item's title. */
    title: FieldOf<Item>
    /** The field for a second line. */
    description?: FieldOf<Item>
    /** The filter of the kind `search` that receives the text; by default the filter of `title`. */
    filter?: NoInfer<Filter>
    /** The page of an item, for example `/books/{id}`, with field names in braces. */
    to: string
    /** The name of an icon, for example `i-lucide-book`. */
    icon?: string
    /** The locale key of the collection's name, for example `pages.books`. */
    text?: string
  }
  /** Options of one operation; they override those of the collection. */
  operations?: { list?: PaginationOptions; get?: boolean }
}

/** A declared collection with the names that the build uses for its types. */
interface DeclaredCollection<
  Item extends z.ZodObject,
  Filter extends string,
  Order extends string,
> extends Collection<Item> {
  filters: { readonly [field in Filter]: FilterKind | readonly FilterKind[] }
  order: readonly Order[]
}

/** Declares a collection. Throws at load and lists each invalid option with the values that it accepts. */
export function defineCollection<
  Item extends z.ZodObject,
  Source extends SqlSource,
  const Filter extends FieldOf<Item> = never,
  const Order extends FieldOf<Item> = never,
  Public extends boolean = false,
  Proof = unknown,
>(options: CollectionOptions<Item, Source, Filter, Order, Public, Proof>): DeclaredCollection<Item, Filter, Order> {
  const parsed = parseDeclaration('defineCollection', collectionSchema, options)
  const faults = declarationFaults(parsed)
  if (faults.length > 0) throw new Error(`defineCollection: ${faults.join('; ')}`)
  const collection = mark('collection', toCollection(parsed))
  return collection as unknown as DeclaredCollection<Item, Filter, Order>
}

function toCollection(checked: CheckedCollection): Collection {
  const { description, shortName, item, filters, order, defaultOrder, guard, operations, source, getItem, search } =
    checked
  return {
    description,
    shortName,
    item,
    public: checked.public,
    mcp: checked.mcp,
    guard,
    filters,
    order,
    defaultOrder,
    unknownParameters: checked.unknownParameters,
    pagination: paginationOf(checked),
    operations: {
      list: operations.list,
      get: operations.get ?? (typeof source !== 'function' || getItem !== undefined),
    },
    search: search && settleSearch(search),
    reader: readerOf(checked) as CollectionReader<Record<string, unknown>>,
    people: Object.keys(checked.people),
    keptTotal: keptTotal(checked),
    tables: tablesOf(source).map(table => getTableName(table)),
    ...namedIn(tablesOf(source)),
  }
}

function keptTotal(checked: CheckedCollection): KeptTotal | undefined {
  return checked.keepTotal && isTable(checked.source) ? keptTotalOf(checked.source, scopeOf(checked)) : undefined
}

function tablesOf(source: CheckedCollection['source']): SQLiteTable[] {
  if (typeof source === 'function') return []
  return isTable(source) ? [source] : [source.root, ...(source.joins ?? []).map(({ table }) => table)]
}

const paginationOf = (checked: CheckedCollection): PaginationOptions =>
  Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(paginationShape, name)))

function readerOf(checked: CheckedCollection): CollectionReader {
  const { item, source, getItem, operations } = checked
  if (typeof source === 'function')
    return createProviderReader({ item, source: source as CollectionProvider<unknown, Session | null>, getItem })
  const pagination = mergeOptions([operations.list, paginationOf(checked)])
  return createSqlReader({ ...checked, source, pagination, scope: scopeOf(checked), keptTotal: keptTotal(checked) })
}

/** The types that callers of a collection use, from the module that declares it. @public */
export type CollectionTypeOf<Module> = Module extends {
  default: DeclaredCollection<infer Item, infer Filter, infer Order>
}
  ? { item: z.output<Item>; filters: Filter; order: Order }
  : never

const aFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')
const kind = z.enum(['exact', 'range', 'search'])
const direction = z.enum(['ASC', 'DESC'])

const SCOPES = ['shared', 'organization', 'everybody']

/** Validates the options of defineCollection at load. */
const collectionSchema = z.strictObject({
  description: z.string().trim().min(1),
  shortName: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be a name like Note')
    .optional(),
  item: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object'),
  source: z.custom<SqlDeclaration['source'] | CollectionProvider<unknown, never>>(
    value => typeof value === 'function' || isTable(value) || isSelect(value),
    'must be a drizzle table, a query { root, … } or a function',
  ),
  toItem: aFunction<SqlDeclaration['toItem']>().optional(),
  omit: z.array(z.string()).default([]),
  people: z.record(z.string(), z.string()).default({}),
  getItem: aFunction<ProviderDeclaration['getItem']>().optional(),
  scope: z
    .custom<CollectionScope>(
      value => typeof value === 'function' || (typeof value === 'string' && SCOPES.includes(value)),
      `must be ${SCOPES.map(scope => `'${scope}'`).join(', ')} or a function`,
    )
    .optional(),
  public: z.boolean().default(false),
  mcp: z.boolean().default(true),
  guard: aFunction<Collection['guard']>().optional(),
  filters: z.record(z.string(), z.union([kind, z.array(kind).min(1)])).default({}),
  order: z.array(z.string()).default([]),
  defaultOrder: z.array(z.strictObject({ field: z.string(), direction })).default([]),
  unknownParameters: unknownParameters.optional(),
  operations: z
    .strictObject({ list: z.strictObject(paginationShape).default({}), get: z.boolean().optional() })
    .prefault({}),
  search: searchSchema.optional(),
  keepTotal: z.boolean().default(false),
  ...paginationShape,
})

type CheckedCollection = z.output<typeof collectionSchema>

/** Whether a source is a table rather than a query over tables. */
const isTable = (value: unknown): value is SQLiteTable => is(value, SQLiteTable)

const isSelect = (value: unknown): value is SqlSelect =>
  typeof value === 'object' && value !== null && !is(value, SQL) && 'root' in value && isTable(value.root)

/** Errors of a declaration that the schema of its options cannot detect; each names the option and the values that it accepts. */
const declarationFaults = (checked: CheckedCollection): string[] => [
  ...fieldFaults(checked),
  ...omitFaults(checked),
  ...peopleFaults(checked),
  ...cursorFaults(checked),
  ...sourceFaults(checked),
  ...searchFaults(checked),
  ...totalFaults(checked),
]

function totalFaults(checked: CheckedCollection): string[] {
  if (!checked.keepTotal) return []
  if (!isTable(checked.source)) return ['keepTotal: belongs to a table as source']
  const read = policyOf(checked.source)?.rules.read
  return [
    ...scopeFaults(scopeOf(checked)),
    ...(read?.every(({ kind }) => kind !== 'member') ? ["keepTotal: needs a policy with read: 'member'"] : []),
    ...(read && checked.public ? ['keepTotal: a public collection counts what its policy opens; leave it out'] : []),
  ]
}

function sourceFaults(checked: CheckedCollection): string[] {
  const { source, toItem, getItem, operations, public: isPublic } = checked
  if (typeof source === 'function') {
    return [
      ...(toItem ? ['toItem: belongs to a table or a query; the function makes the items itself'] : []),
      ...(checked.scope ? ['scope: belongs to a table or a query; the function decides by session and orgId'] : []),
      ...(operations.get === true && !getItem ? ['operations.get: needs getItem'] : []),
    ]
  }
  return [
    ...(getItem ? ['getItem: belongs to a function as source'] : []),
    ...policyFaults(checked),
    ...(isPublic || scopeOf(checked)
      ? []
      : [
          "scope: whose rows people see cannot be told from the table; write 'organization', 'shared', 'everybody' or a function",
        ]),
  ]
}

function policyFaults({ source, scope, public: isPublic }: CheckedCollection): string[] {
  const [root] = tablesOf(source)
  if (!root || !policyOf(root)) return []
  const name = getTableName(root)
  if (scope !== undefined && (isPublic || typeof scope === 'function' || scope === 'everybody'))
    return [`scope: the policy of ${name} says who reads; leave scope out`]
  return isPublic && !openToEveryone(root as SharedTable)
    ? [`public: the policy of ${name} lets no visitor read; add 'everyone' to its rule read, or to those of fields`]
    : []
}

/** The scope of a collection: as declared, or derived from the columns of the table; undefined when both are missing. */
function scopeOf({ source, scope, public: isPublic }: CheckedCollection): CollectionScope | undefined {
  if (scope || isPublic || typeof source === 'function') return scope
  return scopeOfTable(isTable(source) ? source : source.root)
}

function scopeOfTable(table: SQLiteTable): CollectionScope | undefined {
  const columns = getTableColumns(table)
  if ('ownerEmail' in columns && 'orgId' in columns && 'visibility' in columns) return 'shared'
  return 'orgId' in columns ? 'organization' : undefined
}
