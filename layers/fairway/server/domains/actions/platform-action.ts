import type { z } from 'zod'
import type { Config } from '#fairway/server/kernel/config/config'
import { requireRun } from '#fairway/server/kernel/current-run'
import { mark } from '#fairway/server/kernel/declaration'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action, PlatformRule } from './action'
import { type ActionOptions, defineAction } from './define-action'

type PlatformActionOptions<Input extends z.ZodObject, Result> = PlatformRule &
  Omit<ActionOptions<Input, Result>, 'guard' | 'public'>

/** Declares an action of the platform: below server/platform, offered and open as its rule says. Throws as `defineAction` does. */
export function definePlatformAction<Input extends z.ZodObject, Result>(
  options: PlatformActionOptions<Input, Result>,
): Action<Input, Awaited<Result>> {
  const { isOffered: offered, admits, ...rest } = options
  const platform = { isOffered: offered, admits }
  const guard = ({ session }: { session: Session }) => isAdmitted(platform, requireRun().app.config, session)
  return mark('action', { ...defineAction({ ...rest, guard }), platform })
}

/** Whether lists of this installation name the action: always for an author's. */
export const isOffered = ({ platform }: Action, config: Pick<Config, 'builder'>): boolean =>
  platform?.isOffered(config) ?? true

/** Whether lists that a person sees by a host name the action; who may call an author's is known to its guard alone. */
export const isOfferedTo = (action: Action, config: Config, session: Session): boolean =>
  isOffered(action, config) && (action.platform === undefined || isAdmitted(action.platform, config, session))

function isAdmitted({ admits }: PlatformRule, config: Config, session: Session): boolean {
  const { roles, emails } = admits(config)
  if (session.orgRole === null || !roles.includes(session.orgRole)) return false
  if (!emails) return true
  // Whoever signs up first with somebody's address is not them.
  return emails.includes(session.email) && (session.emailVerified || config.signIn.acceptsUnverified)
}
