// The small zod: this file is part of the first page that a browser loads.
import * as z from 'zod/mini'

const orgRoleSchema = z.enum(['owner', 'admin', 'member'])

/** The signed-in fact as every surface sees it; it never carries a token. Times are ISO 8601 UTC. */
const sessionSchema = z.object({
  userId: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.nullable(z.string()),
  orgId: z.nullable(z.string()),
  orgName: z.nullable(z.string()),
  orgRole: z.nullable(orgRoleSchema),
  provider: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** There while somebody used the account before its address was proved and this sign-in, which proved it, may say whose it is. */
  mayClaim: z.optional(z.literal(true)),
})

export type Session = z.infer<typeof sessionSchema>

export const sessionAnswerSchema = z.object({ session: z.nullable(sessionSchema) })
