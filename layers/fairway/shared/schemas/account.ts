import * as z from 'zod/mini'

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
    }),
  ),
  /** The application's rows, by table. */
  rows: z.array(z.object({ table: z.string(), rows: z.number() })),
  /** How many there are of each part of the person's own file. */
  counts: z.record(z.string(), z.number()),
  proof: proofSchema,
})
export type AccountEnd = z.infer<typeof accountEndSchema>
