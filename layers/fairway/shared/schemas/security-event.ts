import * as z from 'zod/mini'
import { shownPersonSchema } from './person'
import { totalShape } from './total'

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
  /** The person's device, in words; null where it is not known. */
  device: z.nullable(z.string()),
  /** How it went: `done`, `failed` or `blocked`. */
  outcome: z.string(),
  /** The address of the person, and the name; null where there is none, or no longer. */
  email: z.optional(z.nullable(z.string())),
  name: z.optional(z.nullable(z.string())),
  person: z.optional(z.nullable(shownPersonSchema)),
})
export type SecurityEvent = z.infer<typeof securityEventSchema>

export const securityEventPageSchema = z.object({ events: z.array(securityEventSchema), ...totalShape })
export type SecurityEventPage = z.infer<typeof securityEventPageSchema>

/** Events about the caller's own account. */
export const ownEventPageSchema = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      kind: z.string(),
      outcome: z.string(),
      device: z.nullable(z.string()),
      clientAddress: z.nullable(z.string()),
      /** The provider, passkey or token that it is about. */
      subject: z.nullable(z.string()),
      reason: z.nullable(z.string()),
    }),
  ),
  ...totalShape,
})
export type OwnEventPage = z.infer<typeof ownEventPageSchema>

/** The hours in which a kind of event exceeded its threshold; times are ISO 8601 UTC. */
export const alertsSchema = z.object({
  alerts: z.array(
    z.object({
      kind: z.string(),
      hour: z.string(),
      count: z.int(),
      alertAbove: z.nullable(z.number()),
      alertedAt: z.nullable(z.string()),
    }),
  ),
})

/** Events per hour and kind; times are ISO 8601 UTC. */
export const eventCountsSchema = z.object({
  from: z.string(),
  hours: z.number(),
  kinds: z.array(
    z.object({ kind: z.string(), title: z.string(), group: z.string(), alertAbove: z.nullable(z.number()) }),
  ),
  counts: z.array(z.object({ kind: z.string(), hour: z.string(), count: z.number() })),
})
export type EventCounts = z.infer<typeof eventCountsSchema>
