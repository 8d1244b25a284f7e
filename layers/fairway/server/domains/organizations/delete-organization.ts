import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { listOrgCredentialKeys } from './vault/list-org-credential-keys'
import { logMoves, moveOnStatements } from './active-org'
import { makerIsSettled, refuseOpenClaim } from './maker-claim'
import { findActiveOrg } from './org-context'
import type { Actor } from './require-org'

/** Everything that belongs to one organization; rows that authors made keep their owner and lose the organization. */
const DELETIONS = [
  'delete from org_members where org_id = ?',
  'delete from org_invitations where org_id = ?',
  'delete from app_member_roles where org_id = ?',
  'delete from shares where org_id = ?',
  'delete from vault_credentials where org_id = ?',
  'delete from oauth_grants where org_id = ?',
  'delete from application_state where org_id = ?',
]

/**
 * Deletes the organization with all that belongs to it, when its name was typed again; gives the organization the person
 * works in now. Throws `name-mismatch`, `claim-open`, and `forbidden` when the person is no owner at that moment.
 */
export async function deleteOrganization(
  app: App,
  session: Session,
  actor: Actor,
  typed: string,
): Promise<string | null> {
  if (!isSameName(typed, actor.orgName)) throw new AppError('name-mismatch')
  const isGone = 'not exists (select 1 from organizations where id = ?)'
  const isSettled = makerIsSettled(actor.orgId)
  const keys = await listOrgCredentialKeys(app, actor.orgId)
  const results = await app.db.client.batch(
    [
      {
        sql: `delete from organizations where id = ? and exists (
          select 1 from org_members where org_id = organizations.id and user_id = ? and role = 'owner') and ${isSettled.sql}`,
        args: [actor.orgId, actor.userId, ...isSettled.args],
      },
      ...moveOnStatements({ sql: `m.org_id = ? and ${isGone}`, args: [actor.orgId, actor.orgId] }),
      ...DELETIONS.map(sql => ({ sql: `${sql} and ${isGone}`, args: [actor.orgId, actor.orgId] })),
    ],
    'write',
  )
  if (results[0]?.rowsAffected !== 1) {
    await refuseOpenClaim(app, actor.orgId)
    throw new AppError('forbidden')
  }
  await logMoves(app, results, 'organization deleted', { id: actor.orgId, name: actor.orgName, keys })
  app.log.info('organization deleted', { orgId: actor.orgId, userId: actor.userId })
  return (await findActiveOrg(app, session.userId))?.id ?? null
}

const isSameName = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()
