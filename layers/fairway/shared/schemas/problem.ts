// The small zod: this file is part of the first page that a browser loads.
import * as z from 'zod/mini'

/** The body of every error of our own endpoints (RFC 9457 with `code` and `requestId`). */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  code: z.string(),
  requestId: z.string(),
  errors: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
})

export type Problem = z.infer<typeof problemSchema>
