import * as z from 'zod/mini'

const securityEventSchema = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.string(),
  subject: z.nullable(z.string()),
  clientAddress: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  orgId: z.nullable(z.string()),
  reason: z.string(),
  requestId: z.nullable(z.string()),
})

export const securityEventPageSchema = z.object({ events: z.array(securityEventSchema), totalItems: z.number() })
export type SecurityEventPage = z.infer<typeof securityEventPageSchema>

/** Events per hour and kind; times are ISO 8601 UTC. */
export const eventCountsSchema = z.object({
  from: z.string(),
  hours: z.number(),
  kinds: z.array(z.object({ kind: z.string(), title: z.string(), alertAbove: z.nullable(z.number()) })),
  counts: z.array(z.object({ kind: z.string(), hour: z.string(), count: z.number() })),
})
export type EventCounts = z.infer<typeof eventCountsSchema>
