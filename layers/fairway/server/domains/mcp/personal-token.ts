import type { H3Event } from 'h3'
import type { Action } from '#fairway/server/domains/actions'
import { getApp } from '#fairway/server/kernel/app-context'
import { readBearer } from '#fairway/server/kernel/http/request-info'
import { isPersonalToken } from '#fairway/shared/personal-token'
import type { Session } from '#fairway/shared/schemas/session'
import { requireAccess, requireScope, withinCallLimits } from './access'
import { scopeOfAction } from './surface'

/**
 * Answers a call of an action for the person behind a personal token, within its scopes and limits; without such a token `answer` is
 * left to look for a session itself. Throws `unauthenticated`, `insufficient-scope`, `provider-required` and `rate-limited`.
 */
export async function withPersonalToken<T>(
  event: H3Event,
  action: Action | undefined,
  answer: (session?: Session) => Promise<T>,
): Promise<T> {
  if (!action || event.method === 'OPTIONS' || !isPersonalToken(readBearer(event.node.req))) return answer()
  const app = getApp(event)
  const access = await requireAccess(event)
  requireScope(app, access, scopeOfAction(action))
  return withinCallLimits(app, access, () => answer(access.session))
}
