import * as z from 'zod/mini'

/** `draft`: set up; `tested`: an admin signed in by it; `active`: people sign in by it; `off`: it was active. */
export const CONNECTION_STATES = ['draft', 'tested', 'active', 'off'] as const

/** How we authenticate at the provider: by a secret, or by a signed assertion (RFC 7523 §2.2). */
export const CONNECTION_AUTHS = ['secret', 'private_key_jwt'] as const

/** The roles that new people may get by a connection. */
export const PROVISIONED_ROLES = ['member', 'admin'] as const

/** What the last test of a connection has seen. */
export const connectionTestSchema = z.object({
  at: z.string(),
  /** The address that the provider named. */
  email: z.string(),
  /** Whether the address is in a proved domain that the connection serves. */
  isInDomain: z.boolean(),
  /** Whether the provider vouches for the address; null when it says nothing. Such people prove it once by mail. */
  isVerified: z.nullable(z.boolean()),
  subject: z.string(),
})
export type ConnectionTest = z.infer<typeof connectionTestSchema>

/** The OpenID provider of a customer, by which the people of an organization sign in. It never has a secret. */
export const identityConnectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  issuer: z.nullable(z.string()),
  clientId: z.nullable(z.string()),
  clientAuth: z.enum(CONNECTION_AUTHS),
  hasSecret: z.boolean(),
  /** The last day of the client secret, as a date; owners are told 30 and 7 days before. */
  secretEndsOn: z.nullable(z.string()),
  /** The one proved domain that it serves; null for all that no other connection names. */
  domain: z.nullable(z.string()),
  /** Whether people without a membership become members. */
  provision: z.boolean(),
  defaultRole: z.enum(PROVISIONED_ROLES),
  state: z.enum(CONNECTION_STATES),
  /** To register at the provider. */
  redirectUri: z.string(),
  /** For tiles on the provider's dashboard (OpenID Connect Core §4). */
  loginUri: z.string(),
  /** Our public keys, for `private_key_jwt`. */
  jwksUri: z.string(),
  test: z.nullable(connectionTestSchema),
  /** Whether agents that the customer manages connect by assertions (ID-JAG), without a consent page. */
  managedAgents: z.boolean(),
  /** The issuers of those assertions. */
  assertionIssuers: z.array(z.string()),
  createdAt: z.string(),
})
export type IdentityConnection = z.infer<typeof identityConnectionSchema>
