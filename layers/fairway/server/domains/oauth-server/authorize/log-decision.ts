import type { App } from '#fairway/server/kernel/app-context'

interface Decision {
  decision: 'approved' | 'denied' | 'refused'
  /** As it was asked for; an unknown one is not repeated in full. */
  client?: string
  userId?: string
  orgId?: string
  scope?: string
  /** Why it was refused, in the RFC's word. */
  error?: string
  requestId: string
}

/** Writes what became of an authorization request into the log: one line, no secret, no address of a person. */
export function logDecision(app: App, decision: Decision): void {
  app.log.info('authorization decided', { ...decision, client: decision.client?.slice(0, 200) })
}
