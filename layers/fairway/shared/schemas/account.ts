// The person's view of their own account: its address, devices, deletion and sign-in methods.
import * as z from 'zod/mini'
import { handOverSchema } from './organization'
import { shownPersonSchema } from './person'

/** A pending change of address; times are ISO 8601 UTC. */
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
  /** Whether the sign-in is at most 15 minutes old. */
  isFresh: z.boolean(),
  hasPassword: z.boolean(),
})

/** The pending change of address, and whether one is possible. */
export const addressStateSchema = z.object({
  change: z.nullable(pendingAddressSchema),
  /** The error code that explains why the address cannot be changed here; null where it can. */
  refusal: z.nullable(z.string()),
  proof: proofSchema,
})

/** An organization that the session does not open, and a sentence about how to open it, in the language of the request. */
const closedOrganizationSchema = z.object({ id: z.string(), howToOpen: z.string(), name: z.string() })
export type ClosedOrganization = z.infer<typeof closedOrganizationSchema>

/** The data that deleting the account would remove and keep. */
export const accountEndSchema = z.object({
  email: z.string(),
  /** The error code that explains why the account cannot be deleted here; null where it can. */
  refusal: z.nullable(z.string()),
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: z.string(),
      members: z.number(),
      fate: z.enum(['deleted', 'blocks', 'left']),
      /**
       * The rows to hand over there and up to 100 possible receivers, the longest-standing owners first; null unless `fate` is
       * `left`, and when the organization is closed to this session.
       */
      handOver: z.nullable(z.extend(handOverSchema, { members: z.array(shownPersonSchema) })),
    }),
  ),
  /** The application's rows that would be deleted, by table. */
  rows: z.array(z.object({ table: z.string(), rows: z.number() })),
  /** The number of entries in each part of the person's downloadable data. */
  counts: z.record(z.string(), z.number()),
  /** The organizations that are missing in an export with this session. */
  closedOrganizations: z.array(closedOrganizationSchema),
  proof: proofSchema,
})
export type AccountEnd = z.infer<typeof accountEndSchema>

/** One signed-in browser of a person; never a token. Times are ISO 8601 UTC. */
export const deviceSchema = z.object({
  /** The ID of the session. */
  id: z.string(),
  /** For example “Firefox”; null when the browser does not identify itself. */
  browser: z.nullable(z.string()),
  /** For example “Windows”; null when the browser does not report it. */
  system: z.nullable(z.string()),
  /** The network address of its most recent use. */
  address: z.nullable(z.string()),
  /** How the person proved who they are: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: z.string(),
  createdAt: z.string(),
  /** Exact to five minutes. */
  lastUsedAt: z.string(),
  expiresAt: z.string(),
  /** Whether this is the device of the request. */
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

/** The accounts at providers that sign a person in. Times are ISO 8601 UTC. */
export const linkedAccountsSchema = z.object({
  accounts: z.array(
    z.object({
      id: z.string(),
      provider: z.string(),
      /** The address that the provider reported most recently; null when it was linked before this was stored. */
      email: z.nullable(z.string()),
      createdAt: z.string(),
      lastUsedAt: z.nullable(z.string()),
      /** The provider's name for people. */
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
  /** Two-factor authentication protects the password, so it requires one. */
  hasPassword: z.boolean(),
  /** The minimum number of characters in a password. */
  minPasswordLength: z.int(),
})
export type TwoFactorState = z.infer<typeof twoFactorStateSchema>

/** The setup data for an authenticator app: the address in the QR code, the secret in it for typing, and the code as SVG. */
export const twoFactorSecretSchema = z.object({ uri: z.string(), secret: z.string(), qr: z.string() })
export type TwoFactorSecret = z.infer<typeof twoFactorSecretSchema>

/** The response of `GET /_fw/auth/methods`: the sign-in methods here, the same for everyone. */
export const signInMethodsSchema = z.object({
  /** Where people sign in instead, for applications that have no sign-in; the other fields then name no method. */
  elsewhere: z.nullable(z.string()),
  /** A link by mail, shown first where it is offered. */
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

/** The moved rows, and the result of the application's hook. */
export const localMoveSchema = z.object({
  moved: countsSchema,
  kept: countsSchema,
  targetEmail: z.string(),
  hook: z.object({
    state: z.enum(['none', 'done', 'failed']),
    answer: z.optional(z.unknown()),
    /** The HTTP status of a failed hook; null when it returned none. */
    status: z.optional(z.nullable(z.int())),
  }),
})
