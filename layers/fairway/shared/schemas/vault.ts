import * as z from 'zod/mini'

/** The key of a credential; the same everywhere it is required. */
export const credentialKeySchema = z
  .string()
  .check(
    z.trim(),
    z.regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/, 'Use letters, digits, dots, hyphens and underscores, a letter first.'),
  )

export const credentialValueSchema = z
  .string()
  .check(z.minLength(1, 'Enter the credential.'), z.maxLength(8192, 'A credential has at most 8192 characters.'))

const storedCredentialSchema = z.object({
  key: z.string(),
  /** The final four characters; empty for short ones. */
  lastFour: z.string(),
  /** `unreadable`: it is stored, but none of our keys decrypts it. */
  state: z.enum(['readable', 'unreadable']),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** A credential as its owners see it, never its value; times are ISO 8601 UTC. */
export type StoredCredential = z.infer<typeof storedCredentialSchema>

const declaredCredentialSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  /** Whether the application can check a value. */
  isTestable: z.boolean(),
})

export const vaultSchema = z.object({
  credentials: z.array(storedCredentialSchema),
  /** The credentials that the application requires. */
  declared: z.array(declaredCredentialSchema),
})
export type Vault = z.infer<typeof vaultSchema>

/** `readable`: it can be decrypted, and the application has no check for it; `failed`: the check itself did not work. */
export const credentialTestSchema = z.object({
  outcome: z.enum(['works', 'refused', 'readable', 'unreadable', 'failed']),
})
export type CredentialTest = z.infer<typeof credentialTestSchema>
