// The person's connections: providers that we call, and apps and tokens that call us.
import * as z from 'zod/mini'
import { DELETE, GRANT_SCOPES, OPERATOR_SCOPE } from '../scopes'
import { shownPersonSchema } from './person'
import { totalShape } from './total'

/** A provider and the person's connection to it; times are ISO 8601 UTC. */
export const connectionSchema = z.union([
  z.object({
    /** The provider's id. */
    provider: z.string(),
    name: z.string(),
    status: z.literal('not-connected'),
    requestedScopes: z.array(z.string()),
  }),
  z.object({
    provider: z.string(),
    name: z.string(),
    requestedScopes: z.array(z.string()),
    /** `unreadable`: there is a token, but none of our keys decrypts it. */
    status: z.enum(['connected', 'reconnect-required', 'unreadable']),
    /** The person's account at the provider. */
    account: z.nullable(z.string()),
    scopes: z.array(z.string()),
    /** When the access token expires; null when the provider did not report it. */
    expiresAt: z.nullable(z.string()),
    renewsItself: z.boolean(),
    connectedAt: z.nullable(z.string()),
    refreshedAt: z.nullable(z.string()),
  }),
])
export type Connection = z.infer<typeof connectionSchema>

/** The ways to use a connection; `operate` manages the installation. */
export const GRANT_USES = ['read', 'write', 'delete', 'operate'] as const
export type GrantUse = (typeof GRANT_USES)[number]

/** The parts of a connection that can be removed when they are unused. */
export const GRANT_PARTS = ['mcp:write', DELETE, OPERATOR_SCOPE] as const
export type GrantPart = (typeof GRANT_PARTS)[number]

/** One connected app of a person in one organization; never a token. Times are ISO 8601 UTC. */
export const connectedAppSchema = z.object({
  /** The ID of the grant. */
  id: z.string(),
  clientId: z.string(),
  /** The name that was shown at the approval. */
  clientName: z.string(),
  /** The host of the app's own address; null when it has none, for example because it runs on the person's machine. */
  clientHost: z.nullable(z.string()),
  /** Whether it is an API token of a member; only the list of an organization contains those. */
  isToken: z.boolean(),
  /** The last four characters of an API token; null for an app, and for a token from before they were kept. */
  tokenEnd: z.nullable(z.string()),
  orgId: z.string(),
  orgName: z.string(),
  scopes: z.array(z.object({ scope: z.enum(GRANT_SCOPES), description: z.string() })),
  /** Whether the person is asked before it deletes something; null where it may delete nothing. */
  asksFirst: z.nullable(z.boolean()),
  /** Whether `mcp:write` includes deleting. */
  mayDelete: z.boolean(),
  createdAt: z.string(),
  /** Exact to five minutes; null for an unused API token. */
  lastUsedAt: z.nullable(z.string()),
  /** The latest time for the next approval. */
  expiresAt: z.string(),
  /** When it last did each of these, exact to an hour; null for never. */
  usedAt: z.object({
    read: z.nullable(z.string()),
    write: z.nullable(z.string()),
    delete: z.nullable(z.string()),
    operate: z.nullable(z.string()),
  }),
  /** What it may do and did not do for 30 days. */
  unused: z.array(z.enum(GRANT_PARTS)),
  /** Whether it did nothing for 30 days. */
  isIdle: z.boolean(),
})
export type ConnectedApp = z.infer<typeof connectedAppSchema>

/** One connected app of a member, as owners and admins see it. */
export const organizationGrantSchema = z.extend(connectedAppSchema, {
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  person: shownPersonSchema,
})
export type OrganizationGrant = z.infer<typeof organizationGrantSchema>

/** What the list of an organization's connections can be sorted by. */
export const GRANT_ORDERS = ['name', 'person', 'lastUsedAt'] as const

export const organizationGrantPageSchema = z.object({
  grants: z.array(organizationGrantSchema),
  ...totalShape,
  /** Leads to the next page; null on the final page. */
  cursor: z.nullable(z.string()),
})
export type OrganizationGrantPage = z.infer<typeof organizationGrantPageSchema>

const { id, orgId, orgName, scopes, createdAt, lastUsedAt, expiresAt, tokenEnd, mayDelete, usedAt, unused, isIdle } =
  connectedAppSchema.shape

/** An API token; never the token itself. Times are ISO 8601 UTC. */
export const personalTokenSchema = z.object({
  id,
  name: z.string(),
  tokenEnd,
  orgId,
  orgName,
  scopes,
  mayDelete,
  createdAt,
  lastUsedAt,
  expiresAt,
  usedAt,
  unused,
  isIdle,
})
export type PersonalToken = z.infer<typeof personalTokenSchema>

/** How often a connection ran an action in 30 days. */
export const grantActionSchema = z.object({ action: z.string(), times: z.number(), lastAt: z.string() })
export type GrantAction = z.infer<typeof grantActionSchema>
