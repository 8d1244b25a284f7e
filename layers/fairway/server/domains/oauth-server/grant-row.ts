import { z } from 'zod'
import type { TokenSubject } from './access-token'

/** The columns of a grant (`g`) with its person (`u`) that a token is made from. */
export const grantColumns = `g.id as grantId, g.client_id as clientId, g.user_id as userId, u.email as email, g.org_id as orgId,
  g.scope as scope, g.expires_at as expiresAt`

const grantRowSchema = z.object({
  grantId: z.string(),
  clientId: z.string(),
  userId: z.string(),
  email: z.string(),
  orgId: z.string(),
  /** Space-separated: all that was approved. */
  scope: z.string(),
  expiresAt: z.number(),
})

export type GrantRow = TokenSubject & { scope: string }

/** A row that was read with `grantColumns`; undefined when there is none. */
export const toGrantRow = (row: unknown): GrantRow | undefined =>
  row === undefined ? undefined : grantRowSchema.parse(row)
