// The statements of a request: created once for each shape of scope, filters and order, and bound to the values of the request.
// SQLite does not resolve outer columns in the `group by` of a correlated subquery, and `is not null` does not seek in an index,
// but `>= -9e999` does.
import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import type { ReadApart, RowStatement } from '#fairway/server/kernel/database/client'
import type { Slice } from '#fairway/server/kernel/database/read-page'
import { FOLDED_ENDING } from '#fairway/server/kernel/field-types'
import { createCache, type Cache } from '#fairway/server/kernel/cache'
import type { FilterCondition, PageSelection, ReadContext } from '../collection'
import type { OrderBy } from '../effective-options'
import type { Field } from './fields'
import { orderBy, orderKey, parseFilters, type Term } from './filters'
import { bind, type Fragment, fragment, joined, quoted, type ReadArg, slot, type SlotValues } from './fragment'
import { keptCount } from './kept-total'
import { keysetConditions, positionKey } from './keyset'
import type { ReadPlan } from './read-plan'
import type { ScopeCondition } from './scope'

/** The purpose of a statement. With the same scope and filters, statements with the same key are equal. */
interface Purpose {
  key: string
  /** Set when a missing index should be reported: the order of the rows, empty for a count. */
  terms?: readonly Term[]
}

type Make = (scope: Fragment | undefined, conditions: readonly Fragment[]) => Fragment

/** From this offset, skipping rows takes longer than the event loop may wait. */
const FAR_OFFSET = 100_000

/** The part of a request that decides what a read costs. */
interface Chosen {
  filters: readonly FilterCondition[]
  /** The order that the client requested. */
  order?: readonly OrderBy[]
  selection?: PageSelection
  /** Whether all rows are read, as for an export. */
  isWhole?: boolean
}

/** Combines the filters of a request with its scope. Throws `invalid-input`. */
export function prepareRead(
  { plan, scoped, cache }: { plan: ReadPlan; scoped: ScopeCondition; cache: StatementCache },
  { app, signal }: Pick<ReadContext, 'app' | 'signal'>,
  { filters: conditions, order = [], selection, isWhole = false }: Chosen,
) {
  const filters = parseFilters(plan, conditions)
  const statement = ({ key, terms }: Purpose, make: Make): Fragment =>
    cache.getOrSet(`${key} | ${filters.key} | ${scoped.key}`, () => {
      const bound = make(scoped.condition, filters.conditions())
      if (terms) adviseIndex(app, { plan, sql: bound.text, terms, compared: filters.compared, scope: scoped.columns })
      return bound
    })
  const count: Make = (scope, conditions) => plan.body.count(scope, conditions, filters.tables)
  const { keptTotal } = plan
  const values: SlotValues = { ...scoped.values, filter: filters.values }
  const isFar = selection !== undefined && 'offset' in selection && selection.offset >= FAR_OFFSET
  const isChosen = isWhole || isFar || conditions.length > 0 || order.length > 0
  const apart = isChosen ? app.db.apart : undefined
  return {
    plan,
    values,
    /** Reads from one state of a database file while the event loop goes on; set when the client chooses the cost. */
    apart: apart && (<T>(read: (rows: ReadApart) => Promise<T>): Promise<T> => apart(read, signal)),
    /** The rows of each statement, from one state of the database. */
    rows: (statements: readonly RowStatement[]): Promise<unknown[][][]> =>
      apart
        ? apart(async rows => {
            const results: unknown[][][] = []
            for (const { sql, args } of statements) results.push(await rows(sql, args))
            return results
          }, signal)
        : app.db.readRows(statements),
    /** A text that is equal for equal filters. */
    filterKey: JSON.stringify([filters.key, filters.values]),
    /** The statement for a purpose with the request's scope and filters; created once. */
    statement,
    count: () =>
      keptTotal && filters.key === ''
        ? statement({ key: 'kept total' }, (scope, given) => keptCount(keptTotal, count(scope, given)))
        : statement({ key: 'count', terms: [] }, count),
  }
}

/** The data that one request reads: the rows of its scope and filters, and the statements for them. */
export type PreparedRead = ReturnType<typeof prepareRead>

/** The statements created for earlier requests of the same shape. */
type StatementCache = Cache<Fragment>

/** Creates an empty cache of statements. */
export const createStatementCache = (): StatementCache => createCache('prepared-statements')

/** The parts of a page's SELECT. */
interface PageShape {
  plan: ReadPlan
  scope?: Fragment
  conditions: readonly Fragment[]
  terms: readonly Term[]
  /** Ranges of the order in its sequence, at least one; without them, the whole order. A page with ranges has no offset. */
  ranges?: readonly Fragment[]
  hasOffset?: boolean
  /** The columns to read; all by default. */
  select?: Fragment
}

/** The SELECT of a page. Its slots are `part.limit` and, with an offset, `part.offset`. */
export function pageStatement(shape: PageShape): Fragment {
  return shape.plan.isKeysFirst && !shape.select ? keysFirst(shape) : cut(shape, shape.select ?? shape.plan.select)
}

function cut({ plan, scope, conditions, terms, ranges, hasOffset }: PageShape, select: Fragment): Fragment {
  const limit = fragment` limit ${slot('part', 'limit')}`
  const end = hasOffset ? fragment`${limit} offset ${slot('part', 'offset')}` : limit
  const range = (condition: Fragment | undefined, ending: Fragment) =>
    fragment`select ${select}${plan.body.page(scope, condition ? [...conditions, condition] : conditions)}${orderBy(terms)}${ending}`
  if (!ranges || ranges.length < 2) return range(ranges?.[0], end)
  // SQLite reads the parts of the union in sequence and stops at the limit.
  const parts = ranges.map(condition => fragment`select * from (${range(condition, limit)})`)
  return fragment`${joined(parts, ' union all ')}${end}`
}

// An index alone provides the keys; the full rows are only read for the page.
function keysFirst(shape: PageShape): Fragment {
  const { plan, terms } = shape
  const keys = plan.key.map(({ sql }, index) => fragment`${sql} as k${String(index)}`)
  const same = plan.key.map(({ sql }, index) => fragment`${sql} = "keys".k${String(index)}`)
  const inner = cut(shape, joined(keys, ', '))
  return fragment`select ${plan.select}${plan.body.rows(fragment`(${inner}) as "keys"`, joined(same, ' and '))}${orderBy(terms)}`
}

/** The order of a slice. */
export interface SliceOf {
  read: PreparedRead
  terms: readonly Term[]
  /** The values of the row before the slice, which then has no offset; without them, the order starts at its beginning. */
  after?: readonly ReadArg[]
}

/** The statement of a slice. */
export function sliceStatement({ read, terms, after }: SliceOf, { offset, limit }: Slice): RowStatement {
  const hasOffset = offset > 0
  const key = `slice ${hasOffset} ${positionKey(after)} ${orderKey(terms)}`
  const statement = read.statement({ key, terms }, (scope, conditions) =>
    pageStatement({
      plan: read.plan,
      scope,
      conditions,
      terms,
      hasOffset,
      ranges: after && keysetConditions({ terms, values: after, isInclusive: false, slots: 'cursor' }),
    }),
  )
  return bind(statement, { ...read.values, cursor: after, part: { limit, offset } })
}

/** A statement and the data for suggesting an index. */
interface Advisable {
  plan: ReadPlan
  sql: string
  /** The order of the rows; empty for a count. */
  terms: readonly Term[]
  compared: readonly { field: Field; isEqual: boolean }[]
  /** The columns of the scope; undefined when one index cannot serve it. */
  scope: readonly string[] | undefined
}

/** In development, runs EXPLAIN QUERY PLAN and logs a warning with the missing index when SQLite sorts or scans. */
function adviseIndex(app: App, input: Advisable): void {
  if (app.config.environment !== 'development') return
  inBackground(app, 'advise-index', async () => {
    const index = indexFor(input)
    if (!index) return
    const fault = faultOf(await app.db.explain(input.sql), input)
    if (!fault) return
    const columns = input.terms.flatMap(({ field: { column, folded, foldedColumn } }) =>
      column && folded && !foldedColumn ? [`foldedText('${column}')`] : [],
    )
    const advice = columns.length > 0 ? { columns, index } : { index }
    app.log.warn('a collection is slow without an index', { collection: tableOf(input), fault, ...advice })
  })
}

const tableOf = ({ plan }: Advisable): string => getTableName(plan.source.root)

function faultOf(details: readonly string[], input: Advisable): string | undefined {
  const { terms, compared, scope = [] } = input
  if (terms.length > 0 && details.some(detail => /USE TEMP B-TREE FOR .*ORDER BY/.test(detail)))
    return 'sorts every row'
  const isChosen = scope.length > 0 || compared.length > 0
  const scan = new RegExp(String.raw`^SCAN "?${RegExp.escape(tableOf(input))}"?(?! USING (?:COVERING )?INDEX)`)
  return isChosen && details.some(detail => scan.test(detail)) ? 'looks at every row' : undefined
}

/** `create index … on table (columns)`: equality columns first, then the order or else one range. */
function indexFor(input: Advisable): string | undefined {
  const { plan, terms, compared, scope } = input
  const columnOf = ({ column, tables }: Field) => (tables.size === 1 && tables.has(tableOf(input)) ? column : undefined)
  if (!scope || plan.isWrapped || terms.some(({ field }) => !columnOf(field))) return undefined
  const equal = compared.filter(({ isEqual }) => isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const ranges = compared.filter(({ isEqual }) => !isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const orderedOf = (field: Field) => (field.folded ? foldedNameOf(field) : columnOf(field)) ?? ''
  const ordered = terms.map(({ field, isDescending }) => `${quoted(orderedOf(field))}${isDescending ? ' desc' : ''}`)
  const columns = [
    ...scope.map(quoted),
    ...equal.map(quoted),
    ...(terms.length > 0 ? ordered : ranges.slice(0, 1).map(quoted)),
  ]
  const unique = columns.filter((column, at) => !columns.slice(0, at).some(other => nameIn(other) === nameIn(column)))
  if (unique.length === 0) return undefined
  const table = tableOf(input)
  const name = [table, ...unique.map(column => nameIn(column).replaceAll('"', ''))].join('_').replaceAll('-', '_')
  return `create index ${name} on ${quoted(table)} (${unique.join(', ')})`
}

/** The name of the column that holds the folded text of a field, or would hold it. */
const foldedNameOf = ({ column, foldedColumn }: Field): string | undefined =>
  foldedColumn ?? (column && `${column}${FOLDED_ENDING}`)

const nameIn = (column: string): string => column.replace(/ desc$/, '')
