// Removes from a grant what it did not use. It only ever removes, so simultaneous calls cannot conflict.
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { GrantPart } from '#fairway/shared/schemas/connection'
import { DELETE } from '#fairway/shared/scopes'
import { type GrantOwner, isOwned, requireGrant } from './grants'
import { isUnusedSql, UNUSED_AFTER_IN_MS } from './grant-use'

/**
 * Removes unused parts from a grant. Its next call has only what is left, and so have the tokens that it renews. Throws
 * `not-found` for the grant of another owner, and `conflict` when one of the parts was used in the last 30 days, when nothing
 * would be left, or when the grant belongs to an agent that a customer manages.
 */
export async function narrowGrant(
  app: App,
  owner: GrantOwner,
  { id, parts }: { id: string; parts: readonly GrantPart[] },
): Promise<void> {
  await requireGrant(app, id, owner)
  const now = app.now().getTime()
  const owned = isOwned(owner)
  const scopes = parts.filter(part => part !== DELETE)
  const left = scopes.reduce((sql, scope) => `replace(${sql}, ' ${scope} ', ' ')`, `(' ' || scope || ' ')`)
  const losesDelete = parts.length > scopes.length || parts.includes('mcp:write')
  const { rowsAffected } = await app.db.client.execute({
    sql: `update oauth_grants set consented_scope = coalesce(consented_scope, scope), scope = trim(${left})
        ${losesDelete ? ', may_delete = 0' : ''}
      where id = ? and ${owned.sql} and revoked_at is null and assertion_issuer is null
        and (instr(${left}, ' mcp:') > 0 or instr(${left}, ' operator ') > 0)
        and ${parts.map(isUnusedSql).join(' and ')}`,
    args: [id, ...owned.args, ...parts.map(() => now - UNUSED_AFTER_IN_MS)],
  })
  if (rowsAffected === 0) throw new AppError('conflict', { detail: 'It cannot be narrowed this way. Load it again.' })
  app.log.info('unused permissions removed', { grantId: id, parts: parts.join(' ') })
}
