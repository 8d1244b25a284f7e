// Everything about reading one collection that is fixed when it is declared.
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import {
  callerPlaceholders,
  canColumns,
  EVERYONE,
  isForEveryone,
  policyOf,
  type SharedTable,
} from '#fairway/server/domains/organizations'
import type { RelationalNeed, SqlDeclaration } from '../collection'
import { createSelectList, entryOf, type Field, fold, type Nested, type Readable, readable, unwrapped } from './fields'
import { asksCaller, joined, keyColumns } from './fragment'
import { type DeclaredSource, directBody, type Join, type PlanBody, readSource, wrappedBody } from './source'

/** The options for joins; undefined lets the query decide. */
export interface WalkerOptions {
  fetchJoinCollection?: boolean
  useOutputWalkers?: boolean
}

/**
 * Computes everything about reading one collection that does not depend on a request. Throws when the options ask for an
 * unsupported way of reading.
 */
export function createPlan(declaration: SqlDeclaration, options: WalkerOptions) {
  const source = readSource(declaration)
  const isWrapped = decideWrapping(source, options)
  const columns = itemColumns(declaration, source)
  const list = createSelectList()
  const body: PlanBody = isWrapped ? wrappedBody(source, list) : directBody(source)
  const placed = (value: Readable): Field => {
    const at = list.place(value.sql)
    const sql = body.nameOf(value.sql, at)
    // The author's query has no folded column.
    return isWrapped
      ? { ...value, at, sql, folded: value.folded && fold(sql), foldedColumn: undefined }
      : { ...value, at, sql }
  }
  const isOmitted = ({ name }: { name: string }) => declaration.omit.includes(name)
  // Fields for filters only are not read, unless the author's query is wrapped and must name them.
  const named = (value: Readable): Field => (isOmitted(value) && !isWrapped ? { ...value, at: -1 } : placed(value))
  // The key makes an order unique, so it is compared exactly.
  const keys = keyOf(source, columns, isWrapped).map(value => ({ ...value, folded: undefined }))
  const ofKey = new Map(keys.map(value => [value.name, value]))
  const fields = new Map(columns.fields.map(value => [value.name, named(ofKey.get(value.name) ?? value)]))
  const key = keys.map(value => fields.get(value.name) ?? placed(value))
  const isForAuthor = declaration.toItem !== undefined
  const entries = [...fields.values(), ...columns.others.map(placed)]
    .filter(value => !isOmitted(value))
    .map(({ name, at, type }) => entryOf(name, at, type, isForAuthor))
  const people = peopleOf(declaration, source, placed)
  const nested = [...nestedOf(declaration, source, placed), ...canOf(declaration, source, placed)]
  return {
    source,
    fields,
    /** The primary key or the GROUP BY columns, which are unique for each row. */
    key,
    select: joined(list.parts.map(body.nameOf), ', '),
    /** Whether the values depend on the caller, because a policy hides some of them. */
    isForCaller: [...list.parts, ...[...fields.values()].map(({ sql }) => sql)].some(asksCaller),
    entries,
    nested,
    /** The names of the values that are files. */
    files: [...fields.values(), ...columns.others].filter(({ isFile }) => isFile).map(({ name }) => name),
    people,
    body,
    keptTotal: declaration.keptTotal,
    /** Whether the rows come from the author's whole query. An index of the root then has no influence on their order. */
    isWrapped,
    /** Whether the keys of a page are read first, and then their rows. */
    isKeysFirst: options.fetchJoinCollection === true && !isWrapped,
  }
}

export type ReadPlan = ReturnType<typeof createPlan>

/** The options that this query requires, derived when they are not set. */
export function relationalNeeds({ lists, groupBy = [], having, isAggregated }: DeclaredSource): RelationalNeed[] {
  const isGrouped = groupBy.length > 0 || having !== undefined || isAggregated
  return [
    ...(lists.length > 0 ? [{ part: 'joined lists', option: 'paginationFetchJoinCollection' } as const] : []),
    ...(isGrouped ? [{ part: 'grouped rows', option: 'paginationUseOutputWalkers' } as const] : []),
  ]
}

function decideWrapping(source: DeclaredSource, options: WalkerOptions): boolean {
  const { useOutputWalkers, fetchJoinCollection } = options
  const needs = new Set(relationalNeeds(source).map(({ option }) => option))
  if (fetchJoinCollection === false && needs.has('paginationFetchJoinCollection'))
    throw new Error(
      'paginationFetchJoinCollection: false would cut the lists of joined rows; leave it out, or set it to true',
    )
  const { groupBy = [], having, filtering, isAggregated } = source
  const isGrouped = groupBy.length > 0 || having !== undefined
  if (useOutputWalkers === false && needs.has('paginationUseOutputWalkers'))
    throw new Error(
      'paginationUseOutputWalkers: false would count and cut the rows before they are grouped; leave it out, or set it to true',
    )
  const isPossible = isGrouped || filtering.length > 0
  return isAggregated || (useOutputWalkers === true && isPossible)
}

// The key, with the names of the item's fields where the item has them.
function keyOf(source: DeclaredSource, columns: ItemColumns, isWrapped: boolean): Readable[] {
  const { groupBy = [], isGroupedByRoot } = source
  const values = isWrapped && groupBy.length > 0 && !isGroupedByRoot ? groupBy : source.key
  return values.map((value, index) => {
    const keyField = readable(`key${index}`, value, z.string().nullable(), new Set())
    return columns.fields.find(field => isSame(field, keyField)) ?? keyField
  })
}

function nestedOf(declaration: SqlDeclaration, source: DeclaredSource, placed: (value: Readable) => Field): Nested[] {
  const isForAuthor = declaration.toItem !== undefined
  return source.toOne
    .filter(({ declared }) => declared.as !== undefined)
    .map(join => ({
      name: join.declared.as ?? '',
      keyAt: placed(presenceOf(join)).at,
      entries: joinedColumns(join, declaration, new Set([join.name])).map(value =>
        entryOf(value.name, placed(value).at, value.type, isForAuthor),
      ),
    }))
}

/** The fields that show a person, each with the place of the address in the rows. Throws for an unknown column. */
function peopleOf(declaration: SqlDeclaration, source: DeclaredSource, placed: (value: Readable) => Field) {
  const columns: Readonly<Record<string, SQLiteColumn | SQL>> = { ...getTableColumns(source.root), ...source.columns }
  return Object.entries(declaration.people ?? {}).map(([name, from]) => {
    const column = columns[from]
    if (!column)
      throw new Error(`people: ${name}: the source has no column ${from}; it has ${Object.keys(columns).join(', ')}`)
    return { name, at: placed(readable(from, column, z.string().nullable(), new Set(), readBy(declaration))).at }
  })
}

/** What the caller may do with each row, if the item has `can` and the table has a policy. */
function canOf(
  { item }: SqlDeclaration,
  { root, columns, key: [first] }: DeclaredSource,
  placed: (value: Readable) => Field,
): Nested[] {
  if (!hasCan(item, { root, columns }) || !first) return []
  const no = new Set<string>()
  return [
    {
      name: 'can',
      keyAt: placed(readable('key', first, z.string(), no)).at,
      entries: Object.entries(canColumns(root as SharedTable, callerPlaceholders)).map(([name, may]) => {
        const { at, type } = placed(readable(`can.${name}`, may, z.boolean(), no, { by: null }))
        return entryOf(name, at, type, false)
      }),
    },
  ]
}

/** Whether items report in `can` what the policy of their table allows the caller. */
export const hasCan = (item: z.ZodObject, { root, columns }: Pick<DeclaredSource, 'root' | 'columns'>): boolean =>
  policyOf(root) !== undefined && 'can' in item.shape && !columns?.can

// A column that is null only when there is no joined row.
function presenceOf({ table, name }: Join): Readable {
  const [first] = keyColumns(table)
  return readable('key', first ?? sql`${table}.rowid`, z.string().nullable(), new Set([name]))
}

/** The fields of an order or filter option. Throws for a name that is not a value of the item. */
export function fieldOf(plan: ReadPlan, name: string, option: string): Field {
  const field = plan.fields.get(name)
  if (!field || field.type.kind === 'other')
    throw new Error(`${option}: ${name} is no column that can be compared; allowed are ${comparable(plan).join(', ')}`)
  return field
}

const comparable = ({ fields }: ReadPlan): string[] =>
  [...fields.values()].filter(({ type }) => type.kind !== 'other').map(({ name }) => name)

/** The values of an item, by name. */
interface ItemColumns {
  fields: readonly Readable[]
  /** Additional values for the author's function that the item does not have. */
  others: readonly Readable[]
}

/** Finds the source of each field of the item. Throws for a field without a source. */
function itemColumns(declaration: SqlDeclaration, source: DeclaredSource): ItemColumns {
  const { item, toItem, people = {} } = declaration
  const rootColumns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(source.root)
  const outer = new Set(source.toOne.filter(({ type }) => type === 'left').map(({ name }) => name))
  const ofJoins = new Set(source.all.flatMap(({ declared }) => declared.as ?? []))
  /** The fields that other statements or joins fill. */
  const joined = new Set([...ofJoins, ...Object.keys(people)])
  const read = (name: string, value: SQLiteColumn | SQL) =>
    readable(name, value, item.shape[name] ?? z.string().nullable(), outer, readBy(declaration))
  const named = (name: string): SQLiteColumn | SQL | undefined => source.columns?.[name] ?? rootColumns[name]
  const missing = Object.keys(item.shape).filter(
    name => !named(name) && !joined.has(name) && !(name === 'can' && hasCan(item, source)),
  )
  if (missing.length > 0 && !toItem)
    throw new Error(
      `item: no column fills ${missing.join(', ')}; name them in columns of the source, or give toItem. The table has ${Object.keys(rootColumns).join(', ')}`,
    )
  const unnamed = [...ofJoins].filter(name => !Object.hasOwn(item.shape, name) && !toItem)
  if (unnamed.length > 0) throw new Error(`joins: ${unnamed.join(', ')}: the item has no such field for as`)
  const select = (names: readonly string[]) =>
    names.flatMap(name => {
      const value = joined.has(name) ? undefined : named(name)
      return value ? [read(name, value)] : []
    })
  const inItem = new Set(Object.keys(item.shape))
  const besides = [...Object.keys(rootColumns), ...Object.keys(source.columns ?? {})].filter(name => !inItem.has(name))
  const mayRead = (name: string) => !declaration.public || isOpenValue(named(name))
  return { fields: select([...inItem]), others: toItem ? select(besides.filter(mayRead)) : [] }
}

const isOpenValue = (value: SQLiteColumn | SQL | undefined): boolean => !is(value, SQLiteColumn) || isForEveryone(value)

/** Whose rules decide about the columns: a public collection is the same for everyone. */
const readBy = ({ public: isPublic }: SqlDeclaration) => ({ by: isPublic ? EVERYONE : callerPlaceholders }) as const

/** The values of a joined row under `as`: the declared columns, or the fields in the item's schema. */
export function joinedColumns({ declared }: Join, declaration: SqlDeclaration, outer: ReadonlySet<string>): Readable[] {
  const { item } = declaration
  const { as = '', table, columns = getTableColumns(table) } = declared
  const shape = shapeWithin(item.shape[as])
  const names = declared.columns || !shape ? Object.keys(columns) : Object.keys(shape)
  return names.map(name => {
    const value = columns[name]
    if (!value) throw new Error(`joins: ${as}: no column fills ${name}; name it in columns of the join`)
    const field = readable(name, value, shape?.[name] ?? z.string().nullable(), outer, readBy(declaration))
    if (field.isFile)
      throw new Error(`joins: ${as}: ${name} holds files, which only a collection over their own table sends`)
    return field
  })
}

function shapeWithin(schema: z.core.$ZodType | undefined): z.ZodObject['shape'] | undefined {
  if (!schema) return undefined
  const inner = unwrapped(schema)
  const element = inner instanceof z.ZodArray ? unwrapped(inner.element) : inner
  return element instanceof z.ZodObject ? element.shape : undefined
}

const isSame = (one: Readable, other: Readable): boolean =>
  one.sql.text === other.sql.text && one.sql.args.length === 0 && other.sql.args.length === 0
