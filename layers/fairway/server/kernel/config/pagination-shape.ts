import { z } from 'zod'

const flag = z.boolean().optional()

/** The pagination options as zod checks them, in the application's settings and in each declared collection. */
export const paginationShape = {
  paginationEnabled: flag,
  paginationItemsPerPage: z.int().min(0).optional(),
  paginationMaximumItemsPerPage: z.int().min(1).nullable().optional(),
  paginationClientEnabled: flag,
  paginationClientItemsPerPage: flag,
  paginationClientPartial: flag,
  paginationPartial: flag,
  paginationViaCursor: z
    .array(z.strictObject({ field: z.string().min(1), direction: z.enum(['ASC', 'DESC']) }))
    .min(1, 'must name at least one field')
    .optional(),
  paginationCursorFormat: z.enum(['bounds', 'opaque']).optional(),
  paginationFetchJoinCollection: flag,
  paginationUseOutputWalkers: flag,
}
