import * as z from 'zod/mini'

const countsSchema = z.record(z.string(), z.number())

/** How many rows of each table would be moved. */
export const localDataSchema = z.object({ available: z.boolean(), tables: countsSchema })

/** What was moved, and what came of the application's hook. */
export const localMoveSchema = z.object({
  moved: countsSchema,
  kept: countsSchema,
  targetEmail: z.string(),
  hook: z.object({
    state: z.enum(['none', 'done', 'failed']),
    answer: z.optional(z.unknown()),
    /** The HTTP status of a hook that failed; null when it gave none. */
    status: z.optional(z.nullable(z.int())),
  }),
})
