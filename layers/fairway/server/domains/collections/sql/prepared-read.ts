import type { LRUCache } from 'lru-cache'
import type { App } from '#fairway/server/kernel/app-context'
import type { ReadContext, FilterCondition } from '../page'
import { adviseIndex } from './advise-index'
import { type ParsedFilters, parseFilters } from './filters'
import type { Fragment, SlotValues } from './fragment'
import type { Term } from './order'
import type { ReadPlan } from './read-plan'
import type { Scope, ScopeCondition } from './scope'

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
  /** The texts that were made for earlier requests of the same shape. */
  kept: LRUCache<string, Fragment, () => Fragment>
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
    kept.memo(`${key} | ${filters.key} | ${whose.key}`, {
      context() {
        const made = make(whose.condition, filters.conditions())
        if (terms) advise(app, { plan, made, terms, filters, whose })
        return made
      },
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
