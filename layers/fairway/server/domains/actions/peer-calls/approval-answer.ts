import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type ErrorCode, errorCatalog } from '#fairway/shared/errors'

/** What came of an approved action: its result, or how it failed. */
export type ApprovalAnswer = { result: unknown } | { error: AppError }

const errorSchema = z.object({
  code: z.custom<ErrorCode>(value => typeof value === 'string' && Object.hasOwn(errorCatalog, value)),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
})

const storedSchema = z.union([z.strictObject({ error: errorSchema }), z.strictObject({ result: z.unknown() })])

/** An answer as it is stored; what a failure of ours was about stays in the log. */
export function writeAnswer(answer: ApprovalAnswer): string {
  if (!('error' in answer)) return JSON.stringify({ result: answer.result ?? null })
  const { code, status, detail, errors, extra } = answer.error
  return JSON.stringify({ error: status < 500 ? { code, detail, errors, extra } : { code } })
}

/** The stored answer. */
export function readAnswer(text: string): ApprovalAnswer {
  const stored = storedSchema.parse(JSON.parse(text))
  if (!('error' in stored)) return stored
  const { code, ...options } = stored.error
  return { error: new AppError(code, options) }
}
