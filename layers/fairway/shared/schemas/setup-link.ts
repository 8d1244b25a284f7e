import * as z from 'zod/mini'
import { directorySchema } from './directory'
import { identityConnectionSchema } from './identity-connection'
import { sessionPolicyPlanSchema } from './session-policy'

/** The steps of a setup link that wait for an owner, because they decide who gets in or is cut off. */
export const DECIDED_STEPS = ['connection', 'directory', 'policy', 'agents'] as const
export type DecidedStep = (typeof DECIDED_STEPS)[number]

/** The longest life of a setup link, and the most open ones of an organization. */
export const MOST_SETUP_DAYS = 14
export const MOST_SETUP_LINKS = 5

/** A page for the customer's IT contact, who has no account. Times are ISO 8601 UTC. */
export const setupLinkSchema = z.object({
  id: z.string(),
  /** The contact's address. */
  email: z.string(),
  /** The address of the owner or admin who sent it. */
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  /** The steps that wait for an owner. */
  waiting: z.array(z.object({ step: z.enum(DECIDED_STEPS), proposedAt: z.string() })),
})
export type SetupLink = z.infer<typeof setupLinkSchema>

/** What the confirmation of a step does. Only the part of its own step is set. */
export const setupPlanSchema = z.object({
  step: z.enum(DECIDED_STEPS),
  /** The version of the proposal, for the confirmation. */
  version: z.string(),
  connection: z.nullable(identityConnectionSchema),
  /** The members whom the connection serves. */
  people: z.nullable(z.int()),
  /** The directory whose token ends. */
  directory: z.nullable(directorySchema),
  policy: z.nullable(sessionPolicyPlanSchema),
  /** The connection, and whose assertions connect agents. */
  agents: z.nullable(z.object({ connection: z.string(), issuers: z.array(z.string()) })),
})
export type SetupPlan = z.infer<typeof setupPlanSchema>
