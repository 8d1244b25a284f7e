import * as z from 'zod/mini'
import { totalShape } from './total'

/** The surface of an action; `system` is for changes by an update of the application itself. */
export const AUDIT_CALLERS = ['http', 'mcp', 'cli', 'a2a', 'job', 'system'] as const
export type AuditCaller = (typeof AUDIT_CALLERS)[number]

/** The outcome; `asked` is a refusal that only requests a confirmation. */
export const AUDIT_OUTCOMES = ['ok', 'asked', 'denied', 'failed'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** The written row of an application's table, by the title that the reader may see. */
const auditSubjectSchema = z.object({
  /** The table that contains it, for example `notes`. */
  type: z.string(),
  id: z.string(),
  /** Null where the reader may not see the row. */
  title: z.nullable(z.string()),
  /** Its page; null where it has none, or where the reader may no longer open it. */
  path: z.nullable(z.string()),
})

const auditValueSchema = z.nullable(z.union([z.string(), z.number(), z.boolean()]))
/** A field that an entry changed; texts are cut to 500 characters. */
const auditChangeSchema = z.object({ field: z.string(), before: auditValueSchema, after: auditValueSchema })

const auditEntrySchema = z.object({
  id: z.string(),
  action: z.string(),
  caller: z.enum(AUDIT_CALLERS),
  via: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  userEmail: z.nullable(z.string()),
  outcome: z.enum(AUDIT_OUTCOMES),
  errorCode: z.nullable(z.string()),
  requestId: z.string(),
  /** The stored part of the input, as JSON; null in rows that represent many. */
  input: z.nullable(z.string()),
  /** The number of denials that the row represents. */
  times: z.number(),
  /** Its place in the chain; null until it is chained. */
  seq: z.nullable(z.number()),
  hash: z.nullable(z.string()),
  at: z.string(),
  /** The network address and the device of the call; null for programs without one, and in the activity. */
  clientAddress: z.nullable(z.string()),
  device: z.nullable(z.string()),
  /** What changed, where the action declares it; null elsewhere, and in the activity. */
  changes: z.nullable(z.array(auditChangeSchema)),
  subject: z.nullable(auditSubjectSchema),
  /** Present while the call can be undone. */
  canUndo: z.optional(z.literal(true)),
})

/** The actor, and members whom a row names: by id and address, for the names and pictures of sentences. */
const auditPersonSchema = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  image: z.nullable(z.string()),
})

const told = { entries: z.array(auditEntrySchema), people: z.array(auditPersonSchema) }
/** The names of MCP hosts, by the id that is in `via`. */
const hosts = z.record(z.string(), z.string())

export const auditPageSchema = z.object({
  ...told,
  ...totalShape,
  /** The names of all actions that occur in the organization's log. */
  actions: z.array(z.string()),
  hosts,
})
/** One page of the activity; `next` requests the page after this one, and is null on the final page. */
export const activityPageSchema = z.object({ ...told, next: z.nullable(z.string()), hosts })

export type AuditChange = z.infer<typeof auditChangeSchema>
export type AuditEntry = z.infer<typeof auditEntrySchema>
export type AuditPerson = z.infer<typeof auditPersonSchema>
export type AuditPage = z.infer<typeof auditPageSchema>
export type ActivityPage = z.infer<typeof activityPageSchema>
