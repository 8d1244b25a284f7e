import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'

/** Whether somebody runs this installation (`FW_OPERATORS`); only a confirmed address says so. */
export const isOperator = (app: App, session: Session): boolean =>
  session.emailVerified && app.config.operators.includes(session.email.trim().toLowerCase())

/** Throws `not-found` for everybody else, who need not know that there is something. */
export function requireOperator(app: App, session: Session): void {
  if (!isOperator(app, session)) throw new AppError('not-found')
}
