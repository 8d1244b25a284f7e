import * as z from 'zod/mini'

const connectionSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('not-connected'),
    provider: z.string(),
    name: z.string(),
    requestedScopes: z.array(z.string()),
  }),
  z.object({
    /** `unreadable`: there is a token, but no key of ours opens it. */
    status: z.enum(['connected', 'reconnect-required', 'unreadable']),
    provider: z.string(),
    name: z.string(),
    requestedScopes: z.array(z.string()),
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

/** A provider and what a person has connected there; times are ISO 8601 UTC. */
export type Connection = z.infer<typeof connectionSchema>
