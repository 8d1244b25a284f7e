import * as z from 'zod/mini'

/** A call of an app that waits for a person. Times are ISO 8601 UTC. */
export const waitingApprovalSchema = z.object({
  id: z.string(),
  /** The page with the question. */
  path: z.string(),
  /** The name of the app, as it calls itself. */
  app: z.string(),
  action: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
})
export type WaitingApproval = z.infer<typeof waitingApprovalSchema>
