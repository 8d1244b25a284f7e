import * as z from 'zod/mini'

/** How many rows of a list match. */
export const totalShape = {
  totalItems: z.int(),
  /** There are more than `totalItems`: a list counts 10,000 rows, or fewer, unless `total=exact` requests them all. */
  isTotalCapped: z.optional(z.literal(true)),
}
export type Total = z.infer<z.ZodMiniObject<typeof totalShape>>
