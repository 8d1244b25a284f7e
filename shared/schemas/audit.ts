import * as z from 'zod/mini'

const auditEntrySchema = z.object({
  id: z.string(),
  at: z.string(),
  action: z.string(),
  caller: z.enum(['http', 'mcp', 'cli', 'a2a']),
  via: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  userEmail: z.nullable(z.string()),
  outcome: z.enum(['ok', 'denied', 'failed']),
  errorCode: z.nullable(z.string()),
  requestId: z.string(),
  /** JSON, secrets replaced. */
  input: z.nullable(z.string()),
  /** Its place in the chain; null until it is chained. */
  seq: z.nullable(z.number()),
  hash: z.nullable(z.string()),
})

export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), totalItems: z.number() })
export type AuditPage = z.infer<typeof auditPageSchema>
