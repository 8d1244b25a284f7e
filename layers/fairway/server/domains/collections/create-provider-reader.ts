import { z } from 'zod'
import { type AuthorContext, authorContext } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { CollectionReader, FilterCondition, Page } from './page'
import { type Pagination, toPagination } from './pagination'
import type { OrderBy } from './pagination-options'
import type { ProvidedPage } from './paginators/paginator'
import { toPage } from './paginators/to-page'

/** What a collection's function knows: what every author's code has in hand, and the conditions and the part that are asked for. */
export interface ProviderRequest<S extends Session | null = Session> extends AuthorContext<S> {
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
  getItem?: (id: string, context: AuthorContext<Session | null>) => unknown
}

/** The reader over an author's function; what it returns is checked and cut down to the fields of the item. */
export function createProviderReader({ item, source, getItem }: ProviderDeclaration): CollectionReader {
  const list = z.array(item)
  return {
    async readPage({ app, ...call }, { filters, order, selection }) {
      const provided = await source({
        ...authorContext(app, call),
        filters,
        order,
        pagination: toPagination(selection),
      })
      const page = toPage(provided, selection)
      return { ...page, items: checked(list, page.items) } as Page
    },
    async countItems() {
      return null
    },
    async readItem({ app, ...call }, id) {
      const found = await getItem?.(id, authorContext(app, call))
      return found === undefined || found === null ? null : checked(item, found)
    },
  }
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AppError('internal', {
    cause: `an item does not fit the schema of its collection: ${z.prettifyError(parsed.error)}`,
  })
}
