import type { z } from 'zod'

/** The options of a declaration as their schema says; throws at load with each option and what it accepts. */
export function parseDeclaration<T extends z.ZodType>(name: string, schema: T, options: unknown): z.output<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the declaration'}: ${issue.message}`)
  throw new Error(`${name}: ${faults.join('; ')}`)
}
