import { findLiveGrants, hostNames } from '#fairway/server/domains/oauth-server'
import { openedOrganizations } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { mayInOrg } from '#fairway/shared/roles'
import type { WaitingApproval } from '#fairway/shared/schemas/approval'
import type { Session } from '#fairway/shared/schemas/session'
import { callerName } from './approval-page'
import { approvalPath, listWaiting } from './approvals'

/** Lists the calls that wait for this person, oldest first, without those of organizations that are closed to the session. */
export async function listWaitingFor(app: App, session: Session): Promise<WaitingApproval[]> {
  const managed = mayInOrg(session.orgRole, 'revoke-grant') ? session.orgId : null
  const { closed } = await openedOrganizations(app, session)
  const closedIds = closed.map(({ closedOrg }) => closedOrg.id)
  const waiting = await listWaiting(app, session.userId, managed)
  const live = await findLiveGrants(app, [...new Set(waiting.flatMap(({ grantId }) => grantId ?? []))])
  // A question of a grant that has ended cannot be answered.
  const hasCaller = (grantId: string | null) => grantId === null || live.has(grantId)
  const rows = waiting.filter(({ orgId, grantId }) => !closedIds.includes(orgId ?? '') && hasCaller(grantId))
  const names = await hostNames(app, [...new Set(rows.map(({ caller }) => caller))])
  return rows.map(({ id, caller, action, createdAt, expiresAt }) => ({
    id,
    path: approvalPath(id),
    app: names[caller] ?? callerName(app, caller),
    action,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
}
