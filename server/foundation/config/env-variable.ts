import { z } from 'zod'

/** `1` and `true` mean yes, `0` and `false` no. */
export const flag = z.enum(['0', '1', 'true', 'false', '']).transform(value => value === '1' || value === 'true')
/** Any text with something in it. */
export const text = z.string().trim().min(1)

/** One row of the table of settings. */
export interface Variable<T extends z.ZodType = z.ZodType> {
  schema: T
  group:
    | 'Server'
    | 'Database'
    | 'Secrets'
    | 'Sign-in'
    | 'Organizations'
    | 'Mail'
    | 'Development'
    | 'Pages'
    | 'Command line'
  description: string
  /** What is used when the variable is not set, in words. */
  unset: string
  example: string
  secret?: boolean
}

/** Declares one setting; it keeps the type of its schema. */
export const variable = <T extends z.ZodType>(definition: Variable<T>) => definition
