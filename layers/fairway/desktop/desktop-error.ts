import type { desktopReasons } from '../shared/schemas/desktop'

/** A reason that pages have a text for. */
export type DesktopReason = (typeof desktopReasons)[number]

/** Why something of a workspace sign-in did not work; carries nothing but the reason. */
export class DesktopError extends Error {
  readonly reason: DesktopReason

  constructor(reason: DesktopReason) {
    super(reason)
    this.name = 'DesktopError'
    this.reason = reason
  }
}

/** The work belongs to a sign-in that has been ended meanwhile: nothing is to be reported of it. */
export class StaleWork extends Error {}

/** The reason to report; whatever we did not foresee counts as refused. */
export const reasonOf = (error: unknown): DesktopReason => (error instanceof DesktopError ? error.reason : 'refused')
