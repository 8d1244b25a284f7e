import * as z from 'zod/mini'

const values = z.record(z.string(), z.unknown())

/** A row that a call would write, as the person may read it. */
const rehearsedChangeSchema = z.object({
  /** The table that contains it, for example `notes`. */
  table: z.string(),
  id: z.string(),
  kind: z.enum(['created', 'updated', 'deleted']),
  /** Null where the person may not read it. */
  title: z.nullable(z.string()),
  /** The fields before the call; for an update only those that would change. Null for a new row. */
  before: z.nullable(values),
  /** The same fields after it. Null for a deleted row. */
  after: z.nullable(values),
})

export type RehearsedChange = z.infer<typeof rehearsedChangeSchema>

/** What a call would do. */
export const rehearsalSchema = z.object({
  changes: z.array(rehearsedChangeSchema),
  /** How many mails it would send. */
  mails: z.number(),
  /** The names of the jobs that it would start. */
  jobs: z.array(z.string()),
})

export type Rehearsal = z.infer<typeof rehearsalSchema>
