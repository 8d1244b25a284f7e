import * as z from 'zod/mini'

/** What a page is told of something that was written. */
export const changeSchema = z.object({
  action: z.string(),
  /** The collections that may have other rows now. */
  collections: z.array(z.string()),
  /** The row that was written, where the action names one. */
  id: z.nullable(z.string()),
  /** How long ago it was written, at least, in milliseconds. */
  ageInMs: z.number(),
})
export type Change = z.infer<typeof changeSchema>
