import * as z from 'zod/mini'

/** A host that an organization registered, never its secret. Times are ISO 8601 UTC. */
export const managedClientSchema = z.object({
  /** The `client_id`. */
  id: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  /** The members whom it acts for now. */
  people: z.int(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
})
export type ManagedClient = z.infer<typeof managedClientSchema>
