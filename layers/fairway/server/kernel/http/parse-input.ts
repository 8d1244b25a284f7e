import type { z } from 'zod'
import { AppError } from './app-error'

/** Parses untrusted input; throws `invalid-input` with the path and message of each fault and never the value. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(issue => ({ path: issue.path.join('.'), message: issue.message }))
  throw new AppError('invalid-input', { errors })
}
