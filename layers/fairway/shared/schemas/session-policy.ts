import * as z from 'zod/mini'

/** Why a session policy closes an organization to a session. */
export type SessionPolicyReason = 'idle' | 'age' | 'network'

/** The session policy of an organization; null for no limit. */
export const sessionPolicySchema = z.object({
  idleMinutes: z.nullable(z.int()),
  maxHours: z.nullable(z.int()),
  /** In CIDR form. */
  networks: z.nullable(z.array(z.string())),
  /** Whether connected apps and API tokens are asked too. */
  apps: z.boolean(),
})
export type SessionPolicy = z.infer<typeof sessionPolicySchema>

/** A policy with the sessions, people and apps that it cuts off now. */
export const sessionPolicyPlanSchema = z.extend(sessionPolicySchema, {
  sessions: z.int(),
  /** Their addresses. */
  people: z.array(z.string()),
  /** The names of connected apps that call from other networks. */
  affectedApps: z.array(z.string()),
})
export type SessionPolicyPlan = z.infer<typeof sessionPolicyPlanSchema>
