// Pages of a list: by number with a total, or newest first with a cursor.
import { z } from 'zod'

/** `page` and `itemsPerPage` as query parameters. */
export const pagingShape = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  itemsPerPage: z.coerce.number().int().min(1).max(100).default(30),
}

/** A page by its number; the first is 1. */
export interface Paging {
  page: number
  itemsPerPage: number
}

interface Slice {
  offset: number
  limit: number
}

/** Reads one page of rows and the total, which is only counted when the page does not prove it. */
export async function readPage<Row>(
  { page, itemsPerPage: limit }: Paging,
  read: (slice: Slice) => PromiseLike<Row[]>,
  count: () => PromiseLike<number>,
): Promise<{ rows: Row[]; totalItems: number }> {
  const offset = (page - 1) * limit
  const found = await read({ offset, limit: limit + 1 })
  return { rows: found.slice(0, limit), totalItems: provenTotal(found, { offset, limit }) ?? (await count()) }
}

/** The total, when the rows prove it: they are not more than a page, and they have a row or begin at 0. */
export function provenTotal(found: readonly unknown[], { offset, limit }: Slice): number | undefined {
  if (found.length > limit || (found.length === 0 && offset > 0)) return undefined
  return offset + found.length
}
