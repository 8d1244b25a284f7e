import { z } from 'zod'

/** `page` and `itemsPerPage` as query parameters. */
export const pagingShape = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  itemsPerPage: z.coerce.number().int().min(1).max(100).default(30),
}
