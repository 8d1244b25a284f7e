import * as z from 'zod/mini'

/** The directory of an organization, without its token. Times are ISO 8601 UTC. */
export const directorySchema = z.object({
  endpoint: z.string(),
  /** The last four characters of the token. */
  tokenEnd: z.string(),
  /** The people that it has sent, and those of them who are active. */
  people: z.int(),
  active: z.int(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
})
export type Directory = z.infer<typeof directorySchema>
