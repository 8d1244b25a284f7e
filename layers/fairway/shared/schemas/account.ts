// What a person reads of their own account: its address, devices and end, and the ways into it.
import * as z from 'zod/mini'
import { handOverSchema } from './organization'

/** A change of address that waits to be confirmed; times are ISO 8601 UTC. */
export const pendingAddressSchema = z.object({
  /** The new address. */
  email: z.string(),
  oldConfirmed: z.boolean(),
  newConfirmed: z.boolean(),
  createdAt: z.string(),
  expiresAt: z.string(),
})
export type PendingAddress = z.infer<typeof pendingAddressSchema>

const proofSchema = z.object({
  /** Signed in within the last 15 minutes. */
  isFresh: z.boolean(),
  hasPassword: z.boolean(),
})

/** The change of address that waits, and whether there can be one. */
export const addressStateSchema = z.object({
  change: z.nullable(pendingAddressSchema),
  /** The error code of why the address cannot be changed here; null where it can. */
  refusal: z.nullable(z.string()),
  proof: proofSchema,
})

/** What deleting the account would take and leave. */
export const accountEndSchema = z.object({
  email: z.string(),
  /** The error code of why the account cannot be deleted here; null where it can. */
  refusal: z.nullable(z.string()),
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: z.string(),
      members: z.number(),
      fate: z.enum(['deleted', 'blocks', 'left']),
      /** What would be handed over there, and who may receive it, up to 100 by standing; null where nothing stays. */
      handOver: z.nullable(
        z.extend(handOverSchema, { members: z.array(z.object({ email: z.string(), name: z.string() })) }),
      ),
    }),
  ),
  /** The application's rows that go, by table. */
  rows: z.array(z.object({ table: z.string(), rows: z.number() })),
  /** How many there are of each part of the person's own file. */
  counts: z.record(z.string(), z.number()),
  proof: proofSchema,
})
export type AccountEnd = z.infer<typeof accountEndSchema>

/** One signed-in browser of a person; never a token. Times are ISO 8601 UTC. */
export const deviceSchema = z.object({
  /** The id of the session. */
  id: z.string(),
  /** For example “Firefox”; null when the browser did not say who it is. */
  browser: z.nullable(z.string()),
  /** For example “Windows”; null when the browser did not say. */
  system: z.nullable(z.string()),
  /** The address of its last use. */
  address: z.nullable(z.string()),
  /** How the person proved who they are: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: z.string(),
  createdAt: z.string(),
  /** Exact to five minutes. */
  lastUsedAt: z.string(),
  expiresAt: z.string(),
  /** Whether this is the one that asks. */
  current: z.boolean(),
})
export type Device = z.infer<typeof deviceSchema>

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
  /** Two-factor authentication guards the password; without one there is nothing to guard. */
  hasPassword: z.boolean(),
  /** How many characters a password here has at least. */
  minPasswordLength: z.int(),
})
export type TwoFactorState = z.infer<typeof twoFactorStateSchema>

/** What an authenticator app needs: the address in the QR code, the secret in it for typing, and the code as SVG. */
export const twoFactorSecretSchema = z.object({ uri: z.string(), secret: z.string(), qr: z.string() })
export type TwoFactorSecret = z.infer<typeof twoFactorSecretSchema>

/** What `GET /_fw/auth/methods` answers: the ways to sign in here, the same for everybody. */
export const signInMethodsSchema = z.object({
  /** Where people sign in instead, for applications without a sign-in of their own; the others then name no way. */
  elsewhere: z.nullable(z.string()),
  /** A link by mail, which comes first where it is offered. */
  magicLink: z.boolean(),
  password: z.boolean(),
  /** Creating an account with a password. */
  signUp: z.boolean(),
  /** Choosing a new password by mail. */
  reset: z.boolean(),
  passkey: z.boolean(),
  /** In the order of the sign-in page; `hub` is the identity hub. */
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
})

export type SignInMethods = z.output<typeof signInMethodsSchema>

const countsSchema = z.record(z.string(), z.number())

/** How many rows of each table would be moved. */
export const localDataSchema = z.object({ available: z.boolean(), tables: countsSchema })

/** What was moved, and what came of the application's hook. */
export const localMoveSchema = z.object({
  moved: countsSchema,
  kept: countsSchema,
  targetEmail: z.string(),
  hook: z.object({
    state: z.enum(['none', 'done', 'failed']),
    answer: z.optional(z.unknown()),
    /** The HTTP status of a hook that failed; null when it gave none. */
    status: z.optional(z.nullable(z.int())),
  }),
})
