// Uses zod/mini because this file is part of the first page that a browser loads.
import * as z from 'zod/mini'

const fieldErrorSchema = z.object({
  path: z.string(),
  message: z.string(),
  code: z.optional(z.string()),
  params: z.optional(z.looseObject({})),
})

/** The fault of one field; without a `code` where the message is the application's own sentence (shared/field-errors.ts). */
export type FieldError = z.infer<typeof fieldErrorSchema>

/** The body of every error of our own endpoints (RFC 9457 with `code` and `requestId`). */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  code: z.string(),
  requestId: z.string(),
  errors: z.optional(z.array(fieldErrorSchema)),
})

export type Problem = z.infer<typeof problemSchema>
