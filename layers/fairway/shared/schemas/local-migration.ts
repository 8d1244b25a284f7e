// The small zod: this file is part of what a browser loads.
import * as z from 'zod/mini'

const countsSchema = z.record(z.string(), z.number())

/** What `GET /_fw/local-migration` answers: how many rows of each table would be moved. */
export const localDataSchema = z.object({ available: z.boolean(), tables: countsSchema })

/** What `POST /_fw/local-migration` answers. */
export const localMoveSchema = z.object({
  moved: countsSchema,
  kept: countsSchema,
  targetEmail: z.string(),
  hook: z.object({ state: z.enum(['none', 'done', 'failed']) }),
})
