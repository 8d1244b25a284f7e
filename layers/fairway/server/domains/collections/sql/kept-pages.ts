// Pages that are given again while nobody writes: what a page depends on is its key, and the state of the file guards it.
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Memory } from '#fairway/server/kernel/database/client'
import { isDeterministic, mayKeepRows } from '#fairway/server/kernel/database/memory'
import type { CollectionQuery, Page } from '../collection'
import type { ReadPlan } from './read-plan'
import type { ScopeCondition } from './scope'

type Rows = readonly (readonly unknown[])[]

/** What was read for a page. */
export interface FoundPage {
  rows: Rows
  /** The page of these items. */
  toPage(items: readonly unknown[]): Page
  /** The page itself, where its rows alone make its items. */
  page?: Page
}

/** What a query asks for, in the same words for the same. */
export const queryKey = ({ filters, order, selection }: CollectionQuery): string =>
  JSON.stringify([filters, order, selection])

/** The pages of one collection that are remembered from their second reading on, each of at most 32 KiB; only of a database file, whose state can be told. */
export function createKeptPages(plan: ReadPlan) {
  const own = newId()
  const ownText = plan.select.text + plan.body.page(undefined, []).text
  const isStable = isDeterministic(ownText) && plan.source.lists.length === 0
  // What is asked for once is not worth the keeping: a walk through all pages would push out those that many look at.
  const memoryOf = (app: App): Memory<FoundPage> =>
    app.memo('collection-pages', () => app.db.memory<FoundPage>('collection-pages', 'second'))

  return {
    /** Everything but the database that a page depends on; undefined where that cannot be said, so that it is never kept. */
    keyOf: (app: App, scoped: ScopeCondition, query: CollectionQuery) =>
      isStable && app.db.snapshot && scoped.isStable
        ? JSON.stringify([own, scoped.key, scoped.values]) + (query.key ?? queryKey(query))
        : undefined,
    /** What was read under this key, where nothing was written since. */
    find: (app: App, key: string) => memoryOf(app).peek(key),
    /** The same, else what `load` reads. */
    get: (app: App, key: string, load: () => Promise<FoundPage>) =>
      memoryOf(app).get(key, load, ({ rows }) => mayKeepRows(rows)),
  }
}
