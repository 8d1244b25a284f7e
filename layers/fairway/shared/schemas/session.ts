// Uses zod/mini because this file is part of the first page that a browser loads.
import * as z from 'zod/mini'

const orgRoleSchema = z.enum(['owner', 'admin', 'member'])

/** The organization that the user works in when its sign-in rule refuses this session; then `orgId` is null. */
const closedOrgSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The provider that unlocks it: the id, and its name for people. */
  provider: z.string(),
  providerName: z.string(),
  /** The domain or tenant that the account there must belong to. */
  domain: z.optional(z.string()),
  /** Where signing in with that provider begins; null where it is no longer configured. */
  signIn: z.nullable(z.string()),
  /** Whether the provider is configured here, so that a page can redirect to it at once. */
  isOwnProvider: z.boolean(),
  /** Present for an owner, who may lift what closes it by a mailed link. */
  isOwner: z.optional(z.literal(true)),
  /** Present where the session policy closes it, and not the sign-in rule: `idle`, `age` or `network`. */
  reason: z.optional(z.string()),
})

export type ClosedOrg = z.infer<typeof closedOrgSchema>

/** The session in the form of every surface; it never contains a token. Times are ISO 8601 UTC. */
const sessionSchema = z.object({
  userId: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.nullable(z.string()),
  orgId: z.nullable(z.string()),
  orgName: z.nullable(z.string()),
  /** The address of the organization: `/o/<slug>/…`. */
  orgSlug: z.nullable(z.string()),
  orgRole: z.nullable(orgRoleSchema),
  closedOrg: z.optional(closedOrgSchema),
  /** Present while a policy requires a second factor that this sign-in lacks: the deadline, and the policy's owner. */
  secondFactor: z.optional(
    z.object({
      until: z.string(),
      isOver: z.boolean(),
      by: z.enum(['organization', 'installation']),
      /** Present where two-factor authentication is on: a code in this session is enough. */
      canProve: z.optional(z.literal(true)),
      /** Present where the account has a passkey: signing in with it is enough. */
      hasPasskey: z.optional(z.literal(true)),
    }),
  ),
  provider: z.string(),
  /** The domain or tenant that the provider vouched for at this sign-in. */
  providerDomain: z.optional(z.string()),
  /** Present once this session has proved a second factor. */
  provedSecondFactor: z.optional(z.literal(true)),
  createdAt: z.string(),
  expiresAt: z.string(),
  /**
   * Present while the account was used before its address was proved, and this sign-in, which proved it, may review the account.
   */
  mayClaim: z.optional(z.literal(true)),
  /** Present while the current terms await acceptance. */
  termsDue: z.optional(z.literal(true)),
  /** Present for those who run this installation (`FW_OPERATORS`): pages show them the operator features. */
  isOperator: z.optional(z.literal(true)),
  /**
   * Present where a service account acts. The person is then its owner of record. The role is its own, and `isOwners` says whether
   * that person made its credential: only then it uses the rows that are theirs.
   */
  serviceAccount: z.optional(z.object({ id: z.string(), name: z.string(), isOwners: z.boolean() })),
  /** Present while an operator views the session read-only: the operator, and until when. */
  viewedBy: z.optional(z.object({ userId: z.string(), email: z.string(), until: z.string() })),
})

/**
 * The signed-in person, and the organization and role that they work in; `orgId` is null outside any. An interface, so that
 * compiler messages show its name instead of its fields.
 */
export interface Session extends z.infer<typeof sessionSchema> {}

/** The fields of a session about the organization that a person works in. */
export const orgContextSchema = z.pick(sessionSchema, {
  orgId: true,
  orgName: true,
  orgSlug: true,
  orgRole: true,
  closedOrg: true,
  secondFactor: true,
})
