import * as z from 'zod/mini'

/** A provider and what a person has connected there; times are ISO 8601 UTC. */
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
    /** `unreadable`: there is a token, but no key of ours opens it. */
    status: z.enum(['connected', 'reconnect-required', 'unreadable']),
    /** Who the person is at the provider. */
    account: z.nullable(z.string()),
    scopes: z.array(z.string()),
    /** When the access token ends; null when the provider did not say. */
    expiresAt: z.nullable(z.string()),
    renewsItself: z.boolean(),
    connectedAt: z.nullable(z.string()),
    refreshedAt: z.nullable(z.string()),
  }),
])
export type Connection = z.infer<typeof connectionSchema>
