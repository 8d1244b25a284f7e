import * as z from 'zod/mini'

/** A passkey as its owner sees it. Times are ISO 8601 UTC. */
export const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  /** Whether the passkey is copied between devices. */
  backedUp: z.boolean(),
})
export type Passkey = z.infer<typeof passkeySchema>

/** The accounts at providers that open a person's account. Times are ISO 8601 UTC. */
export const linkedAccountsSchema = z.object({
  accounts: z.array(
    z.object({
      id: z.string(),
      provider: z.string(),
      /** The address that the provider named last; null when it was linked before that was kept. */
      email: z.nullable(z.string()),
      createdAt: z.string(),
      lastUsedAt: z.nullable(z.string()),
      /** What people call the provider. */
      name: z.string(),
      /** Whether this application still offers the provider. */
      isOffered: z.boolean(),
    }),
  ),
  /** The providers that can be linked. */
  available: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type LinkedAccounts = z.infer<typeof linkedAccountsSchema>

export const twoFactorStateSchema = z.object({
  active: z.boolean(),
  activeSince: z.nullable(z.string()),
  backupCodesLeft: z.int(),
  /** Two-factor sign-in guards the password; without one there is nothing to guard. */
  hasPassword: z.boolean(),
  /** How many characters a password here has at least. */
  minPasswordLength: z.int(),
})
export type TwoFactorState = z.infer<typeof twoFactorStateSchema>

/** What an authenticator app needs: the address in the QR code, the secret in it for typing, and the code as SVG. */
export const twoFactorSecretSchema = z.object({ uri: z.string(), secret: z.string(), qr: z.string() })
export type TwoFactorSecret = z.infer<typeof twoFactorSecretSchema>
