import * as z from 'zod/mini'

/** By which surface something was done; `system` is what an update of the application itself does. */
export const AUDIT_CALLERS = ['http', 'mcp', 'cli', 'a2a', 'system'] as const
export type AuditCaller = (typeof AUDIT_CALLERS)[number]

/** What came of it; `asked` is a refusal that only asks for a confirmation. */
export const AUDIT_OUTCOMES = ['ok', 'asked', 'denied', 'failed'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

const auditEntrySchema = z.object({
  id: z.string(),
  at: z.string(),
  action: z.string(),
  caller: z.enum(AUDIT_CALLERS),
  via: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  userEmail: z.nullable(z.string()),
  outcome: z.enum(AUDIT_OUTCOMES),
  errorCode: z.nullable(z.string()),
  requestId: z.string(),
  /** What is kept of the input, as JSON; null in rows that stand for many. */
  input: z.nullable(z.string()),
  /** How many denials the row stands for. */
  times: z.number(),
  /** Its place in the chain; null until it is chained. */
  seq: z.nullable(z.number()),
  hash: z.nullable(z.string()),
})

export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), totalItems: z.number() })
export type AuditPage = z.infer<typeof auditPageSchema>
