import { z } from 'zod'
import { heldFiles } from '#fairway/server/domains/files'
import { findShown, mayCreate, membersMay, type SharedTable } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { RowStatement } from '#fairway/server/kernel/database/client'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import {
  type CollectionQuery,
  type CollectionReader,
  lastPageOf,
  type Page,
  type ReadContext,
  type SqlDeclaration,
} from '../collection'
import type { OrderBy } from '../effective-options'
import { addressFiles, fileUrl } from '../item-files'
import { checked } from '../provider-reader'
import { readAllRows } from './all-rows'
import { cursorTerms, readCursorPage } from './cursor-page'
import { toObject } from './fields'
import { attachLists, type JoinedList, joinedList } from './joined-lists'
import { checkDeclaration, pageOrder, type Term } from './filters'
import { asksCaller, bind, fragment, slot } from './fragment'
import { readFullRows, readPartialRows, readTotal, readWholeRows } from './offset-page'
import { createPlan, hasCan, type ReadPlan, relationalNeeds, type WalkerOptions } from './read-plan'
import { createScope, type Scope } from './scope'
import { createStatementCache, type PreparedRead, prepareRead } from './statements'

type Rows = readonly (readonly unknown[])[]

/** Creates a reader for SQL. Throws when the declaration is not supported, with the option and the allowed values. */
export function createSqlReader(declaration: SqlDeclaration): CollectionReader {
  try {
    return readerOf(declaration)
  } catch (error) {
    throw new Error(`defineCollection: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function readerOf(declaration: SqlDeclaration): CollectionReader {
  const planFor = createPlans(declaration)
  const declared = planFor({})
  checkDeclaration(declaration, declared.plan)
  const isForCaller = declared.plan.isForCaller || declared.lists.some(({ statement }) => asksCaller(statement))
  if (isForCaller && declaration.public)
    throw new Error('public: a policy hides a column from some people; leave the column out, or require a session')
  const scope = createScope(declared.plan.source.root, declaration, isForCaller)
  const findItem = itemStatement(declared.plan)

  const prepare = (context: ReadContext, chosen: Parameters<typeof prepareRead>[2], options: WalkerOptions = {}) => {
    const { plan, cache } = planFor(options)
    return prepareRead({ plan, scoped: scope(context.session), cache }, context, chosen)
  }

  const rowsOf = async (context: ReadContext, id: string): Promise<Rows> => {
    const statement = findItem(prepare(context, { filters: [] }), id)
    return (statement && (await context.app.db.readRows([statement]))[0]) ?? []
  }

  const place = { collection: '' }
  const pages = pageReading(declaration, { planFor, scope, lists: declared.lists, place })

  return {
    readPage: pages.readPage,
    countItems: async (context, filters) => readTotal(prepare(context, { filters })),
    readAll(context, query) {
      const read = prepare(context, { ...query, isWhole: true }, query)
      const terms = orderOf(read.plan, query, declaration.defaultOrder)
      const toItems = (rows: Rows) => pages.toItems(context, read.plan, rows)
      return readAllRows({ read, terms, toItems })
    },
    readItem: async (context, id) =>
      (await pages.toItems(context, declared.plan, await rowsOf(context, id)))[0] ?? null,
    async readFile(context, id, file) {
      const { plan } = declared
      const rows = await rowsOf(context, id)
      const held = plan.files.flatMap(name => heldFiles(toObject(rows[0] ?? [], plan.entries)[name]))
      const [item] = await pages.toItems(context, plan, rows)
      const url = fileUrl(place.collection, id, file)
      const isShown =
        isRecord(item) &&
        Object.values(item)
          .flat()
          .some(each => isRecord(each) && each.url === url)
      return (isShown && held.find(each => each.id === file)) || null
    },
    serveAs: name => void (place.collection = name),
    fileFields: declared.plan.files,
    includesPermissions: hasCan(declaration.item, declared.plan.source),
    needs: relationalNeeds(declared.plan.source),
    keyFields: declared.plan.key.map(({ name }) => name).filter(name => declared.plan.fields.has(name)),
  }
}

interface Reading {
  planFor: ReturnType<typeof createPlans>
  scope: Scope
  lists: readonly JoinedList[]
  place: { collection: string }
}

/** Reads pages and their items. */
function pageReading({ item, toItem, defaultOrder }: SqlDeclaration, { planFor, scope, lists, place }: Reading) {
  const list = z.array(item)
  const toObjects = ({ entries, nested, files }: ReadPlan, rows: Rows) =>
    rows.map(row => addressFiles(toObject(row, entries, nested), files, place.collection))

  function asItems(session: Session | null, objects: readonly Record<string, unknown>[]): readonly unknown[] {
    if (!toItem) return objects
    const items = objects.map(object => toItem(object, session))
    return checked(list, items)
  }

  async function toItems({ app, session }: ReadContext, plan: ReadPlan, rows: Rows): Promise<readonly unknown[]> {
    const objects = toObjects(plan, rows)
    await attachLists(app, { plan, lists, values: scope(session).values }, rows, objects)
    await attachPeople({ app, session }, plan, rows, objects)
    return asItems(session, objects)
  }

  async function readPage(context: ReadContext, query: CollectionQuery): Promise<Page> {
    const { app, session } = context
    const { plan, cache } = planFor(query)
    const read = prepareRead({ plan, scoped: scope(session), cache }, context, query)
    const { root } = plan.source
    const [{ rows, toPage }, create] = await Promise.all([
      readPageRows(app, read, query, defaultOrder),
      hasCan(item, plan.source) ? mayCreate(app.db.orm, root as SharedTable, session) : undefined,
    ])
    const page = toPage(await toItems(context, plan, rows))
    return create === undefined ? page : { ...page, can: { create, members: membersMay(root) } }
  }

  return { toItems, readPage }
}

/** Adds the people whom the rows name, as the caller may see them. */
async function attachPeople(
  { app, session }: Pick<ReadContext, 'app' | 'session'>,
  { people }: ReadPlan,
  rows: Rows,
  objects: readonly Record<string, unknown>[],
): Promise<void> {
  if (people.length === 0 || rows.length === 0) return
  const addresses = rows.flatMap(row => people.map(({ at }) => row[at]))
  const personOf = await findShown(app, session, addresses)
  for (const [index, object] of objects.entries())
    for (const { name, at } of people) object[name] = personOf(rows[index]?.[at])
}

// The join options of a request override the declaration. There are few combinations, and each is planned once.
function createPlans(declaration: SqlDeclaration) {
  const plans = new Map<string, ReturnType<typeof make>>()
  const make = (options: WalkerOptions) => {
    const plan = createPlan(declaration, options)
    return {
      plan,
      cache: createStatementCache(),
      lists: plan.source.lists.map(join => joinedList(declaration, plan.source, join)),
    }
  }
  const { paginationFetchJoinCollection, paginationUseOutputWalkers } = declaration.pagination
  return ({
    fetchJoinCollection = paginationFetchJoinCollection,
    useOutputWalkers = paginationUseOutputWalkers,
  }: WalkerOptions) => {
    const key = `${fetchJoinCollection} ${useOutputWalkers}`
    const plan = plans.get(key) ?? make({ fetchJoinCollection, useOutputWalkers })
    plans.set(key, plan)
    return plan
  }
}

interface FoundPage {
  rows: Rows
  /** Creates the page of these items. */
  toPage(items: readonly unknown[]): Page
}

/** Reads the rows that a request selects; `toPage` creates the page of their items. */
async function readPageRows(
  app: App,
  read: PreparedRead,
  query: CollectionQuery,
  defaultOrder: readonly OrderBy[],
): Promise<FoundPage> {
  const { selection } = query
  if (selection.mode === 'cursor') {
    const { rows, next, previous } = await readCursorPage({ app, read, selection })
    return { rows, toPage: items => ({ mode: 'cursor', items, itemsPerPage: selection.limit, next, previous }) }
  }
  const terms = orderOf(read.plan, query, defaultOrder)
  if (selection.mode === 'whole') {
    const rows = await readWholeRows({ app, read, terms }, selection.most)
    return { rows, toPage: items => ({ mode: 'whole', items, totalItems: rows.length }) }
  }
  const { page, offset, limit: itemsPerPage } = selection
  const part = { offset, limit: itemsPerPage }
  if (selection.mode === 'partial') {
    const { rows, hasNextPage } = await readPartialRows({ app, read, terms }, part)
    return { rows, toPage: items => ({ mode: 'partial', items, page, itemsPerPage, hasNextPage }) }
  }
  const { rows, total: totalItems } = await readFullRows({ app, read, terms }, part)
  const lastPage = lastPageOf(totalItems, itemsPerPage)
  return { rows, toPage: items => ({ mode: 'full', items, page, itemsPerPage, lastPage, totalItems }) }
}

/** The order of the rows that a request selects. */
function orderOf(plan: ReadPlan, { selection, order }: CollectionQuery, defaultOrder: readonly OrderBy[]): Term[] {
  if (selection.mode === 'cursor') return cursorTerms(plan, selection.via)
  return pageOrder(plan, order.length > 0 ? order : defaultOrder)
}

/** The statement for one item, found by its `id` or its key. Undefined when the text of the address is not a valid value. */
function itemStatement({ fields, key }: ReadPlan) {
  const field = fields.get('id') ?? (key.length === 1 ? key[0] : undefined)
  return (read: PreparedRead, id: string): RowStatement | undefined => {
    const value = field?.type.parse(id)
    if (!field || value === undefined) return undefined
    const isIt = fragment`${field.sql} = ${slot('part', 'id')}`
    const statement = read.statement(
      { key: 'item' },
      (scope, conditions) =>
        fragment`select ${read.plan.select}${read.plan.body.page(scope, [...conditions, isIt])} limit 1`,
    )
    return bind(statement, { ...read.values, part: { id: value } })
  }
}
