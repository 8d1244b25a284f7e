// The statements of a request: made once for each shape of scope, filters and order, bound to the values of the request.
// SQLite finds no outer column in the `group by` of a correlated subquery, and `is not null` seeks in no index: `>= -9e999` does.
import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import type { RowStatement } from '#fairway/server/kernel/database/client'
import { createRemembered, type Remembered } from '#fairway/server/kernel/remember'
import type { FilterCondition, ReadContext } from '../collection'
import type { Field } from './fields'
import { orderBy, orderKey, parseFilters, type Term } from './filters'
import { bind, type Fragment, fragment, joined, quoted, type ReadArg, slot, type SlotValues } from './fragment'
import { keptCount } from './kept-total'
import { keysetConditions, positionKey } from './keyset'
import type { ReadPlan } from './read-plan'
import type { ScopeCondition } from './scope'

/** What a statement is for: those of the same key are the same under one scope and the same filters. */
interface Purpose {
  key: string
  /** Set where a missing index is worth a warning: the order that the rows should come in, empty for a count. */
  terms?: readonly Term[]
}

type Make = (scope: Fragment | undefined, conditions: readonly Fragment[]) => Fragment

/** Settles the filters of a request within its scope; throws `invalid-input`. */
export function prepareRead(
  { plan, scoped, cache }: { plan: ReadPlan; scoped: ScopeCondition; cache: StatementCache },
  { app }: Pick<ReadContext, 'app'>,
  conditions: readonly FilterCondition[],
) {
  const filters = parseFilters(plan, conditions)
  const statement = ({ key, terms }: Purpose, make: Make): Fragment =>
    cache.of(`${key} | ${filters.key} | ${scoped.key}`, () => {
      const made = make(scoped.condition, filters.conditions())
      if (terms) adviseIndex(app, { plan, sql: made.text, terms, compared: filters.compared, scope: scoped.columns })
      return made
    })
  const count: Make = (scope, given) => plan.body.count(scope, given, filters.tables)
  const { keptTotal } = plan
  const values: SlotValues = { ...scoped.values, filter: filters.values }
  return {
    plan,
    values,
    /** What the filters are, in the same words for the same filters. */
    filterKey: JSON.stringify([filters.key, filters.values]),
    /** The statement for a purpose under the request's scope and filters; made once. */
    statement,
    count: () =>
      keptTotal && filters.key === ''
        ? statement({ key: 'kept total' }, (scope, given) => keptCount(keptTotal, count(scope, given)))
        : statement({ key: 'count', terms: [] }, count),
  }
}

/** What one request reads: the rows of its scope and filters, and the statements for them. */
export type PreparedRead = ReturnType<typeof prepareRead>

/** The statements that were made for earlier requests of the same shape. */
type StatementCache = Remembered<Fragment>

/** An empty cache of statements. */
export const createStatementCache = (): StatementCache => createRemembered('collection-statements')

/** What the SELECT of a page is made of. */
interface PageShape {
  plan: ReadPlan
  scope?: Fragment
  conditions: readonly Fragment[]
  terms: readonly Term[]
  /** Ranges of the order in its sequence, at least one; the whole order without them. */
  ranges?: readonly Fragment[]
  hasOffset?: boolean
  /** What is read of each row; everything when not given. */
  select?: Fragment
}

/** The SELECT of a page; its slots are `part.limit` and, with an offset, `part.offset` and their sum, `part.reach`. */
export function pageStatement(shape: PageShape): Fragment {
  return shape.plan.isKeysFirst && !shape.select ? keysFirst(shape) : cut(shape, shape.select ?? shape.plan.select)
}

function cut({ plan, scope, conditions, terms, ranges, hasOffset }: PageShape, select: Fragment): Fragment {
  const limit = fragment` limit ${slot('part', 'limit')}`
  const end = hasOffset ? fragment`${limit} offset ${slot('part', 'offset')}` : limit
  const range = (condition: Fragment | undefined, ending: Fragment) =>
    fragment`select ${select}${plan.body.page(scope, condition ? [...conditions, condition] : conditions)}${orderBy(terms)}${ending}`
  if (!ranges || ranges.length < 2) return range(ranges?.[0], end)
  // SQLite reads the parts one after another and stops at the limit.
  const reach = hasOffset ? fragment` limit ${slot('part', 'reach')}` : limit
  const parts = ranges.map(condition => fragment`select * from (${range(condition, reach)})`)
  return fragment`${joined(parts, ' union all ')}${end}`
}

// The keys come from an index alone; the wide rows are read for those of the page only.
function keysFirst(shape: PageShape): Fragment {
  const { plan, terms } = shape
  const keys = plan.key.map(({ sql }, index) => fragment`${sql} as k${String(index)}`)
  const same = plan.key.map(({ sql }, index) => fragment`${sql} = "keys".k${String(index)}`)
  const inner = cut(shape, joined(keys, ', '))
  return fragment`select ${plan.select}${plan.body.rows(fragment`(${inner}) as "keys"`, joined(same, ' and '))}${orderBy(terms)}`
}

/** `limit` rows of an order after `offset` rows, counted from its beginning or from a position. */
export interface Slice {
  offset: number
  limit: number
}

/** The order that a slice is of. */
export interface SliceOf {
  read: PreparedRead
  terms: readonly Term[]
  /** The values of the row before; the order from its beginning without them. */
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
  return bind(statement, { ...read.values, cursor: after, part: { limit, offset, reach: limit + offset } })
}

/** A statement and what an index for it would be made of. */
interface Advisable {
  plan: ReadPlan
  sql: string
  /** The order of the rows; empty for a count. */
  terms: readonly Term[]
  /** The fields of the filters. */
  compared: readonly { field: Field; isEqual: boolean }[]
  /** The columns of the scope; undefined where no one index serves it. */
  scope: readonly string[] | undefined
}

/** In development: asks SQLite how it reads the rows, and logs a warning with the index that is missing when it sorts or scans. */
function adviseIndex(app: App, input: Advisable): void {
  if (app.config.environment !== 'development') return
  inBackground(app, 'advise-index', async () => {
    const index = indexFor(input)
    if (!index) return
    const fault = faultOf(await app.db.explain(input.sql), input)
    if (fault) app.log.warn('a collection is slow without an index', { collection: tableOf(input), fault, index })
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

/** `create index … on table (columns)`: what is equal first, then the order, or else one range. */
function indexFor(input: Advisable): string | undefined {
  const { plan, terms, compared, scope } = input
  const columnOf = ({ column, tables }: Field) => (tables.size === 1 && tables.has(tableOf(input)) ? column : undefined)
  if (!scope || plan.isWrapped || terms.some(({ field }) => !columnOf(field))) return undefined
  const equal = compared.filter(({ isEqual }) => isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const ranges = compared.filter(({ isEqual }) => !isEqual).flatMap(({ field }) => columnOf(field) ?? [])
  const ordered = terms.map(
    ({ field, isDescending }) => `${quoted(columnOf(field) ?? '')}${isDescending ? ' desc' : ''}`,
  )
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

const nameIn = (column: string): string => column.replace(/ desc$/, '')
