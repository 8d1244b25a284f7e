import { LRUCache } from 'lru-cache'
import type { SqlDeclaration } from '../collection'
import type { CollectionReader, FilterCondition, ReadContext } from '../page'
import { checkDeclaration } from './check-declaration'
import { itemStatement } from './item-statement'
import { attachLists, joinedLists } from './joined-lists'
import type { Fragment } from './fragment'
import { readTotal } from './offset-page'
import { readPageRows } from './page-rows'
import { prepareRead } from './prepared-read'
import { createPlan, type ReadPlan, relationalNeeds, type WalkerOptions } from './read-plan'
import { createScope } from './scope'
import { toObject } from './select-list'

const MOST_KEPT = 300

type Rows = readonly (readonly unknown[])[]

/** Reads a collection from SQL. Throws where the declaration asks for what cannot be served, with the option and what is allowed. */
export function createSqlReader(declaration: SqlDeclaration): CollectionReader {
  try {
    return readerOf(declaration)
  } catch (error) {
    throw new Error(`defineCollection: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function readerOf(declaration: SqlDeclaration): CollectionReader {
  const { scope: declaredScope, defaultOrder } = declaration
  const planFor = createPlans(declaration)
  const declared = planFor({})
  checkDeclaration(declaration, declared.plan)
  const scope = createScope(declared.plan.source.root, declaredScope)
  const findItem = itemStatement(declared.plan)

  const prepare = (context: ReadContext, filters: readonly FilterCondition[], options: WalkerOptions) => {
    const { plan, kept } = planFor(options)
    return prepareRead({ plan, scope, kept }, context, filters)
  }

  async function toItems({ app, session }: ReadContext, plan: ReadPlan, rows: Rows): Promise<unknown[]> {
    const objects = rows.map(row => toObject(row, plan.entries, plan.nested))
    await attachLists(app, { plan, lists: declared.lists }, rows, objects)
    const { toItem } = declaration
    return toItem ? objects.map(object => toItem(object, session)) : objects
  }

  return {
    async readPage(context, query) {
      const read = prepare(context, query.filters, query)
      const { rows, toPage } = await readPageRows({ app: context.app, read, query, defaultOrder })
      return toPage(await toItems(context, read.plan, rows))
    },
    async countItems(context, filters) {
      return readTotal(context.app, prepare(context, filters, {}))
    },
    async readItem(context, id) {
      const statement = findItem(prepare(context, [], {}), id)
      if (!statement) return null
      const [rows = []] = await context.app.db.readRows([statement])
      const [item = null] = await toItems(context, declared.plan, rows)
      return item
    },
    needs: relationalNeeds(declared.plan.source),
    keyFields: declared.plan.key.map(({ name }) => name).filter(name => declared.plan.fields.has(name)),
  }
}

// What a request says about joins outranks the declaration; there are few combinations, and each is planned once.
function createPlans(declaration: SqlDeclaration) {
  const plans = new Map<string, ReturnType<typeof make>>()
  const make = (options: WalkerOptions) => {
    const plan = createPlan(declaration, options)
    const kept = new LRUCache<string, Fragment, () => Fragment>({
      max: MOST_KEPT,
      memoMethod: (_key, _stale, { context: make }) => make(),
    })
    return { plan, kept, lists: joinedLists(declaration, plan.source) }
  }
  const { paginationFetchJoinCollection, paginationUseOutputWalkers } = declaration.pagination
  return ({
    fetchJoinCollection = paginationFetchJoinCollection,
    useOutputWalkers = paginationUseOutputWalkers,
  }: WalkerOptions) => {
    const key = `${fetchJoinCollection} ${useOutputWalkers}`
    const made = plans.get(key) ?? make({ fetchJoinCollection, useOutputWalkers })
    plans.set(key, made)
    return made
  }
}
