import type { Session } from '#fairway/shared/schemas/session'
import type { AppError } from '../http/app-error'

/** What an action refused, to whom, and what it was asked with. */
export interface Refusal {
  action: string
  session: Session | null
  /** Read at once and not kept. */
  input: unknown
  error: AppError
}

/** Where a developer's own server is told how its requests go; no other server has one, and nobody waits for it. */
export interface Walk {
  /** The next step of a request begins; `fact` says in a few words what it is about. */
  step(requestId: string, step: string, fact?: string): void
  /** It is known who asks, by which of the places where that is looked for. */
  person(requestId: string, source: string, session: Session | null): void
  refused(requestId: string, refusal: Refusal): void
}
