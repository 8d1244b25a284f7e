import { z } from 'zod'
import type { Orm } from '#server/foundation/database/client'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import type { CollectionReader, FilterCondition, Page, ReadContext } from './page'
import { type Pagination, toPagination } from './pagination'
import type { OrderBy } from './pagination-options'
import type { ProvidedPage } from './paginators/paginator'
import { toPage } from './paginators/to-page'

/** What a collection's function knows of the request. */
export interface ProviderContext<S extends Session | null = Session> {
  /** Who asks; null only in collections that are public. */
  session: S
  /** The active organization of the caller. */
  orgId: string | null
  db: Orm
  /** Aborted when the caller has gone or the time is up. */
  signal: AbortSignal
}

/** What it knows besides: the conditions and the part that are asked for. */
export interface ProviderRequest<S extends Session | null = Session> extends ProviderContext<S> {
  filters: readonly FilterCondition[]
  /** What the client orders by; empty means the declared order. */
  order: readonly OrderBy[]
  pagination: Pagination
}

/** Reads the pages of one collection: a paginator, a cursor page, or a list that is the whole of it. */
export type CollectionProvider<Item, S extends Session | null = Session> = (
  request: ProviderRequest<S>,
) => ProvidedPage<Item> | Promise<ProvidedPage<Item>>

export interface ProviderDeclaration {
  item: z.ZodObject
  source: CollectionProvider<unknown, Session | null>
  getItem?: (id: string, context: ProviderContext<Session | null>) => unknown
}

/** The reader over an author's function; what it returns is checked and cut down to the fields of the item. */
export function createProviderReader({ item, source, getItem }: ProviderDeclaration): CollectionReader {
  const list = z.array(item)
  return {
    async readPage(context, { filters, order, selection }) {
      const provided = await source({ ...contextOf(context), filters, order, pagination: toPagination(selection) })
      const page = toPage(provided, selection)
      return { ...page, items: checked(list, page.items) } as Page
    },
    async countItems() {
      return null
    },
    async readItem(context, id) {
      const found = await getItem?.(id, contextOf(context))
      return found === undefined || found === null ? null : checked(item, found)
    },
  }
}

const contextOf = ({ app, session, signal }: ReadContext): ProviderContext<Session | null> => ({
  session,
  orgId: session?.orgId ?? null,
  db: app.db.orm,
  signal,
})

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AppError('internal', {
    cause: `an item does not fit the schema of its collection: ${z.prettifyError(parsed.error)}`,
  })
}
