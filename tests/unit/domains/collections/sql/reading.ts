import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type {
  SqlDeclaration,
  CollectionQuery,
  CollectionReader,
  Cursor,
  Page,
  ReadContext,
} from '#fairway/server/domains/collections/collection'
import type { OrderBy } from '#fairway/server/domains/collections/effective-options'
import { cursorOrder } from '#fairway/server/domains/collections/query/read-query'
import { createSqlReader } from '#fairway/server/domains/collections/sql/reader'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'

/** Creates a reader over a table, with only the options of the test. */
export const aReader = (
  item: z.ZodObject,
  source: SqlDeclaration['source'],
  more: Partial<SqlDeclaration> = {},
): CollectionReader<Record<string, unknown>> =>
  createSqlReader({
    item,
    source,
    omit: [],
    filters: {},
    order: [],
    defaultOrder: [],
    pagination: {},
    ...more,
  }) as CollectionReader<Record<string, unknown>>

export const aContext = (app: App, session: Session | null = null): ReadContext => ({
  app,
  session,
  requestId: 'test',
  signal: new AbortController().signal,
})

export const aQuery = (
  selection: CollectionQuery['selection'],
  more: Partial<CollectionQuery> = {},
): CollectionQuery => ({ filters: [], order: [], selection, ...more })

export const full = (page: number, limit: number) =>
  ({ mode: 'full', page, offset: (page - 1) * limit, limit }) as const
export const partial = (page: number, limit: number) =>
  ({ mode: 'partial', page, offset: (page - 1) * limit, limit }) as const

type CursorPage = Extract<Page<Record<string, unknown>>, { mode: 'cursor' }>

/** Reads a cursor page as a client that follows links does: a null bound is sent as empty text. */
export async function cursorPage(
  reader: CollectionReader<Record<string, unknown>>,
  context: ReadContext,
  input: {
    via: readonly OrderBy[]
    limit: number
    at?: Cursor
    format?: 'bounds' | 'opaque'
  } & Partial<CollectionQuery>,
): Promise<CursorPage> {
  const { via, limit, at, format = 'bounds', ...more } = input
  const bounds = at && 'bounds' in at ? at.bounds.map(bound => ({ ...bound, value: bound.value ?? '' })) : []
  const token = at && 'token' in at ? at.token : undefined
  const order = cursorOrder(via, more.order ?? [])
  const query = aQuery({ mode: 'cursor', limit, via: order, format, cursor: { bounds, token } }, more)
  const page = await reader.readPage(context, query)
  if (page.mode !== 'cursor') throw new Error(`a ${page.mode} page`)
  return page
}

type WalkInput = Parameters<typeof cursorPage>[2]

/** Follows a link until it is absent. Returns the pages. */
export async function walk(
  reader: CollectionReader<Record<string, unknown>>,
  context: ReadContext,
  input: WalkInput,
  {
    follow = 'next',
    between = async () => {},
  }: { follow?: 'next' | 'previous'; between?: (page: number) => Promise<void> } = {},
): Promise<CursorPage[]> {
  const pages = [await cursorPage(reader, context, input)]
  for (let at = pages[0]![follow]; at; at = pages.at(-1)![follow]) {
    if (pages.length > 1000) throw new Error('the walk does not end')
    await between(pages.length)
    pages.push(await cursorPage(reader, context, { ...input, at }))
  }
  return pages
}

export const idsOf = (...pages: Page<Record<string, unknown>>[]): unknown[] =>
  pages.flatMap(({ items }) => items.map(({ id }) => id))

/** Creates a table with this statement and inserts the rows. */
export async function fill(
  app: App,
  table: SQLiteTable,
  create: string,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  await app.db.client.executeMultiple(create)
  for (let first = 0; first < rows.length; first += 500)
    await app.db.orm.insert(table).values(rows.slice(first, first + 500) as never)
}
