// Which boxes of the consent page are ticked at first.
import type { App } from '#fairway/server/kernel/app-context'
import type { McpScope } from '#fairway/shared/scopes'
import { grantJoins, isUnended } from '../grants'
import type { AuthorizeRequest } from './authorize-request'

/** What an app may do now, for a consent page that asks about it once more. */
export interface CurrentGrant {
  scopes: readonly string[]
  mayDelete: boolean
}

/** Finds the latest grant of an app that a person connected in any organization; undefined when none is live. */
export async function findCurrentGrant(app: App, userId: string, clientId: string): Promise<CurrentGrant | undefined> {
  const [row] = await app.db.prepareRead<{ scope: string; mayDelete: number }>(
    `select g.scope as scope, g.may_delete as mayDelete from oauth_grants g ${grantJoins}
      where g.user_id = ? and g.client_id = ? and g.last_used_at is not null and ${isUnended(app.config)}
      order by g.created_at desc, g.id desc limit 1`,
  )([userId, clientId, app.now().getTime()])
  return row && { scopes: row.scope.split(' '), mayDelete: row.mayDelete === 1 }
}

/** Which boxes of a scope are ticked at first, and whether the app asks for more than it has. */
export interface Preset {
  isTicked: boolean
  mayDelete: boolean
  isMore: boolean
}

/**
 * The narrowest choice that fits: what a connected app has now, otherwise the scopes that the client names. Deleting is ticked
 * only for an app that has it, and never below a warning.
 */
export function presetOf(
  scope: McpScope,
  { namesScopes }: Pick<AuthorizeRequest, 'namesScopes'>,
  current: CurrentGrant | undefined,
  isRisky: boolean,
): Preset {
  if (!current) return { isTicked: namesScopes, mayDelete: false, isMore: false }
  const isTicked = current.scopes.includes(scope)
  return { isTicked, mayDelete: isTicked && current.mayDelete && !isRisky, isMore: !isTicked }
}
