import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { OrgRole } from '#fairway/shared/roles'
import type { JoinedOrganization, OrganizationEntry, OrphanedCredential } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { setActiveOrgId, setActiveOrgIdFromNone } from './active-org'
import { findActiveOrg, findOrgContext, type OrgContext } from './org-context'
import { findClosed } from './opened-organizations'
import { organizations, orgMembers } from './tables'
import { listOrgCredentialKeys } from './vault'

/**
 * Switches at the person's request. Leaving an organization for another one or for none requires `confirm`; otherwise it throws
 * `confirm-organization-switch` with the credentials left behind. No confirmation is needed when the current one is closed to
 * this session. Throws `forbidden` for a non-member.
 */
export async function switchOrganization(
  app: App,
  session: Session,
  { orgId, confirm }: { orgId: string | null; confirm: boolean },
): Promise<OrgContext> {
  const reason = 'switched by the person'
  if (confirm) await setActiveOrgId(app, session, orgId, reason)
  else if (!(await setActiveOrgIdFromNone(app, session, { orgId, closedId: session.closedOrg?.id, reason }))) {
    throw await refusalOf(app, session, orgId)
  }
  return findOrgContext(app, session)
}

async function refusalOf(app: App, session: Session, orgId: string | null): Promise<AppError> {
  const membership = orgId === null ? null : await findMembership(app, session.userId, orgId)
  if (orgId !== null && !membership)
    return new AppError('forbidden', { detail: 'You are not a member of this organization.' })
  const from = await findActiveOrg(app, session.userId)
  const to = membership && { id: membership.orgId, name: membership.orgName }
  return new AppError('confirm-organization-switch', {
    detail: `You would work in ${to?.name ?? 'no organization'} and no longer in ${from?.name}; credentials are not shared between them.`,
    extra: { from, to, orphanedCredentials: from ? await listOrphanedCredentials(app, session, from.id) : [] },
  })
}

/**
 * Describes an organization that a person has joined, next to the active one, and the credentials that a switch would leave
 * behind. With `stays`, the person goes on working in the organization of the session.
 */
export async function describeJoin(
  app: App,
  session: Session,
  joined: Membership,
  { stays = false } = {},
): Promise<JoinedOrganization> {
  const { orgId, orgName } = session
  const here = orgId === null ? null : { id: orgId, name: orgName ?? '' }
  const active = stays ? here : await findActiveOrg(app, session.userId)
  const isElsewhere = active !== null && active.id !== joined.orgId
  return {
    joined: toEntry(joined),
    active,
    orphanedCredentials: isElsewhere ? await listOrphanedCredentials(app, session, active.id) : [],
  }
}

/**
 * Lists credentials that only members who work in this organization can read. The vault of a closed organization stays hidden.
 */
export async function listOrphanedCredentials(
  app: App,
  session: Session,
  orgId: string,
): Promise<OrphanedCredential[]> {
  if (await findClosed(app, session, orgId)) return []
  return (await listOrgCredentialKeys(app, orgId)).map(key => ({ key }))
}

export interface Membership {
  orgId: string
  orgName: string
  orgSlug: string | null
  role: OrgRole
}

/** An organization in a member's lists. */
export const toEntry = ({ orgId: id, orgName: name, orgSlug: slug, role }: Membership): OrganizationEntry => ({
  id,
  name,
  slug,
  role,
})

/** Returns the membership of a person in one organization, or null. */
export async function findMembership(app: App, userId: string, orgId: string): Promise<Membership | null> {
  const [row] = await app.db.orm
    .select({
      orgId: orgMembers.orgId,
      orgName: organizations.name,
      orgSlug: organizations.slug,
      role: orgMembers.role,
    })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(and(eq(orgMembers.userId, userId), eq(orgMembers.orgId, orgId)))
  return row ?? null
}

/** Lists all memberships of a person, oldest first. */
export function listMemberships(app: App, userId: string): Promise<Membership[]> {
  return app.db.orm
    .select({
      orgId: orgMembers.orgId,
      orgName: organizations.name,
      orgSlug: organizations.slug,
      role: orgMembers.role,
    })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(eq(orgMembers.userId, userId))
    .orderBy(orgMembers.joinedAt, orgMembers.orgId)
}
