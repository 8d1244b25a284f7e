import * as z from 'zod/mini'

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
