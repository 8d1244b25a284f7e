import { ACTIVE_ORG_SETTING, userSettings } from '#server/domains/accounts'
import { listOrgCredentialKeys } from '#server/domains/vault'
import type { App } from '#server/foundation/app-context'
import type { InStatement, InValue } from '#server/foundation/database/client'
import { AppError } from '#server/foundation/http/app-error'
import type { OrphanedCredential } from '#shared/schemas/organization'
import type { Session } from '#shared/schemas/session'
import { findMembership, type Membership } from './find-membership'
import { findActiveOrg, findOrgContext, type OrgContext } from './org-context'

/** Picks memberships out: an SQL condition on `org_members m`, with its values. */
export interface MembershipCondition {
  sql: string
  args: InValue[]
}

interface OrgName {
  id: string
  name: string
}

/** What a move from one organization to another leaves behind. */
export interface OrgMove {
  from: OrgName | null
  to: OrgName | null
  orphanedCredentials: OrphanedCredential[]
}

interface Person {
  userId: string
  email: string
  name: string
}

const WITHOUT_ORGANIZATION = ''

/**
 * The only writer of the `active-org-id` setting: makes a person work in one of their organizations, or without one (null).
 * Moving between two organizations is logged as a warning that names both and the credentials left behind.
 * Throws `forbidden` when the person is not a member.
 */
export async function setActiveOrgId(app: App, person: Person, orgId: string | null, reason: string): Promise<OrgMove> {
  const move = await planOrgMove(app, person, orgId)
  const value = orgId ?? WITHOUT_ORGANIZATION
  await app.db.orm
    .insert(userSettings)
    .values({ userId: person.userId, key: ACTIVE_ORG_SETTING, value })
    .onConflictDoUpdate({ target: [userSettings.userId, userSettings.key], set: { value } })
  if (isMove(move)) warn(app, person, move, reason)
  return move
}

/**
 * A statement for transactions that end memberships: who is left without any organization works without one from now on,
 * so that nobody is given a default organization again. It must run while the membership rows still exist.
 */
export const leaveWithoutOrgStatement = ({ sql, args }: MembershipCondition): InStatement => ({
  sql: `insert into user_settings (user_id, key, value) select m.user_id, '${ACTIVE_ORG_SETTING}', '${WITHOUT_ORGANIZATION}'
    from org_members m where ${sql} and not exists (select 1 from org_members x where x.user_id = m.user_id
      and x.rowid not in (select m.rowid from org_members m where ${sql}))
    on conflict (user_id, key) do update set value = excluded.value`,
  args: [...args, ...args],
})

/** What a move would mean, without making it; throws `forbidden` when the person is not a member of the target. */
export async function planOrgMove(app: App, person: Person, orgId: string | null): Promise<OrgMove> {
  const membership = orgId === null ? null : await requireMembership(app, person.userId, orgId)
  const from = await findActiveOrg(app, person.userId)
  const to = membership ? { id: membership.orgId, name: membership.orgName } : null
  const keys = from && from.id !== to?.id ? await listOrgCredentialKeys(app, from.id) : []
  return { from, to, orphanedCredentials: keys.map(key => ({ key })) }
}

/** True when somebody leaves one organization for another: the case that needs a confirmation and a warning. */
export const isMove = ({ from, to }: OrgMove): boolean => from !== null && to !== null && from.id !== to.id

/**
 * Switches on the person's own wish: between two organizations only when confirmed, else `confirm-organization-switch` names
 * what is left behind. Nothing is, where the one that is left was closed to this session; nor is its vault told of then.
 */
export async function switchOrganization(
  app: App,
  session: Session,
  { orgId, confirm }: { orgId: string | null; confirm: boolean },
): Promise<OrgContext> {
  const move = await planOrgMove(app, session, orgId)
  if (isMove(move) && !confirm && !session.closedOrg) {
    throw new AppError('confirm-organization-switch', {
      detail: `You would work in ${move.to?.name} and no longer in ${move.from?.name}; credentials are not shared between them.`,
      extra: { ...move },
    })
  }
  await setActiveOrgId(app, session, orgId, 'switched by the person')
  return findOrgContext(app, session)
}

async function requireMembership(app: App, userId: string, orgId: string): Promise<Membership> {
  const membership = await findMembership(app, userId, orgId)
  if (!membership) throw new AppError('forbidden', { detail: 'You are not a member of this organization.' })
  return membership
}

// The log redacts what is stored under names of secrets; these are only the names of credentials.
function warn(app: App, person: Person, { from, to, orphanedCredentials }: OrgMove, reason: string): void {
  app.log.warn('the active organization of an account has changed', {
    userId: person.userId,
    from,
    to,
    reason,
    noLongerReadable: orphanedCredentials.map(({ key }) => key),
  })
}
