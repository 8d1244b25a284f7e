import { z } from 'zod'

interface CredentialCheck {
  signal: AbortSignal
  fetch: typeof fetch
}

/** A credential that actions ask for by its key. */
export interface DeclaredCredential {
  key: string
  name: string
  description: string
  /** Whether a value works; resolves to exactly `true` when it does. */
  test?: (value: string, check: CredentialCheck) => Promise<boolean>
}

/** The `credentials` of `defineFwConfig`. */
export const credentialsOption = z
  .array(
    z.strictObject({
      key: z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/, 'must have letters, digits, dots, hyphens, underscores'),
      name: z.string().trim().min(1).max(60),
      description: z.string().trim().max(300).default(''),
      test: z
        .custom<NonNullable<DeclaredCredential['test']>>(value => typeof value === 'function', 'must be a function')
        .optional(),
    }),
  )
  .refine(list => new Set(list.map(({ key }) => key)).size === list.length, 'two have the same key')
  .default([])
