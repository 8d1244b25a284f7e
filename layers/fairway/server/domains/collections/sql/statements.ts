import type { App } from '#fairway/server/kernel/app-context'
import type { RowStatement } from '#fairway/server/kernel/database/client'
import type { ReadContext, FilterCondition } from '../collection'
import { adviseIndex } from './advise-index'
import { type ParsedFilters, parseFilters, type Term, orderBy, orderKey } from './filters'
import { type Fragment, type SlotValues, fragment, joined, slot, bind, type ReadArg } from './fragment'
import type { ReadPlan } from './read-plan'
import type { Scope, ScopeCondition } from './scope'
import { afterTuple } from './keyset'

/** What a statement is for: those of the same key are the same under one scope and the same filters. */
interface Purpose {
  key: string
  /** Set where a missing index is worth a word: the order that the rows should come in, empty for a count. */
  terms?: readonly Term[]
}

type Make = (scope: Fragment | undefined, conditions: readonly Fragment[]) => Fragment

/** One request's reading: whose rows, which of them, and the statements for that. */
export interface PreparedRead {
  plan: ReadPlan
  values: SlotValues
  /** What the filters are, in the same words for the same filters. */
  filterKey: string
  /** The statement for a purpose under the request's scope and filters; made once. */
  statement(purpose: Purpose, make: Make): Fragment
  count(): Fragment
}

interface PlannedReading {
  plan: ReadPlan
  scope: Scope
  kept: KeptStatements
}

/** Settles scope and filters of a request; throws `invalid-input`, and `unauthenticated` where a scope has nobody. */
export function prepareRead(
  { plan, scope, kept }: PlannedReading,
  { app, session }: ReadContext,
  conditions: readonly FilterCondition[],
): PreparedRead {
  const whose = scope(session)
  const filters = parseFilters(plan, conditions)
  const statement: PreparedRead['statement'] = ({ key, terms }, make) =>
    kept.get(`${key} | ${filters.key} | ${whose.key}`, () => {
      const made = make(whose.condition, filters.conditions())
      if (terms) advise(app, { plan, made, terms, filters, whose })
      return made
    })
  return {
    plan,
    values: { ...whose.values, filter: filters.values },
    filterKey: JSON.stringify([filters.key, filters.values]),
    statement,
    count: () =>
      statement({ key: 'count', terms: [] }, (scope, conditions) => plan.body.count(scope, conditions, filters.tables)),
  }
}

interface Advisable {
  plan: ReadPlan
  made: Fragment
  terms: readonly Term[]
  filters: ParsedFilters
  whose: ScopeCondition
}

function advise(app: App, { plan, made, terms, filters, whose }: Advisable): void {
  if (app.config.environment !== 'development') return
  adviseIndex(app, { plan, sql: made.text, terms, compared: filters.compared, scope: whose.columns })
}

const MOST_KEPT = 300

/** The texts that were made for earlier requests of the same shape; the last used ones. */
interface KeptStatements {
  get(key: string, make: () => Fragment): Fragment
}

export function createKeptStatements(): KeptStatements {
  const kept = new Map<string, Fragment>()
  return {
    get(key, make) {
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
        return known
      }
      const made = make()
      kept.set(key, made)
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? key)
      return made
    },
  }
}

/** What a page is cut out of. */
interface PageShape {
  plan: ReadPlan
  scope?: Fragment
  conditions: readonly Fragment[]
  terms: readonly Term[]
  /** Stretches of the order, the first first and at least one; the whole order without them. */
  stretches?: readonly Fragment[]
  hasOffset?: boolean
  /** What is read of each row; everything when not given. */
  select?: Fragment
}

/** The SELECT of a page; its slots are `part.limit` and, with an offset, `part.offset` and their sum, `part.reach`. */
export function pageStatement(shape: PageShape): Fragment {
  return shape.plan.isKeysFirst && !shape.select ? keysFirst(shape) : cut(shape, shape.select ?? shape.plan.select)
}

function cut({ plan, scope, conditions, terms, stretches, hasOffset }: PageShape, select: Fragment): Fragment {
  const limit = fragment` limit ${slot('part', 'limit')}`
  const end = hasOffset ? fragment`${limit} offset ${slot('part', 'offset')}` : limit
  const stretch = (condition: Fragment | undefined, ending: Fragment) =>
    fragment`select ${select}${plan.body.page(scope, condition ? [...conditions, condition] : conditions)}${orderBy(terms)}${ending}`
  if (!stretches || stretches.length < 2) return stretch(stretches?.[0], end)
  // SQLite reads the parts one after another and stops at the limit.
  const reach = hasOffset ? fragment` limit ${slot('part', 'reach')}` : limit
  const parts = stretches.map(condition => fragment`select * from (${stretch(condition, reach)})`)
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

/** A stretch of an order, counted from its beginning or from a place. */
export interface Part {
  offset: number
  limit: number
}

/** What is cut, and which values are read of each row; everything when `select` is not given. */
export interface Cut {
  read: PreparedRead
  terms: readonly Term[]
  /** The values of the row before; the order from its beginning without them. */
  after?: readonly ReadArg[]
  select?: Fragment
}

/** The statement of a part of an order. */
export function cutStatement({ read, terms, after, select }: Cut, { offset, limit }: Part): RowStatement {
  const hasOffset = offset > 0
  const isNull = after?.map(value => value === null)
  const key = `cut ${hasOffset} ${select?.text ?? ''} ${isNull?.join() ?? ''} ${orderKey(terms)}`
  const statement = read.statement({ key, terms }, (scope, conditions) =>
    pageStatement({
      plan: read.plan,
      scope,
      conditions,
      terms,
      hasOffset,
      select,
      stretches: isNull && afterTuple({ terms, isNull, isInclusive: false, slots: 'cursor' }),
    }),
  )
  return bind(statement, { ...read.values, cursor: after, part: { limit, offset, reach: limit + offset } })
}
