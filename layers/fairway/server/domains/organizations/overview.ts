import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import type { App } from '#fairway/server/kernel/app-context'
import type {
  OrganizationDetails,
  OrganizationOverview,
  ReceivedInvitation,
} from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { workingIn } from '#fairway/shared/org-path'
import { listDeleted } from './deletion'
import { findDomainMatches } from './join'
import { listMemberships, listOrphanedCredentials, toEntry } from './switch-organization'
import { asInvited, findInvitations } from './invite'
import { DOMAIN_HOLDS } from './domain-names'

/** Returns the person's organizations, the active one, and pending invitations. */
export async function getOverview(app: App, session: Session): Promise<OrganizationOverview> {
  const [memberships, active, received, matches, orphanedCredentials, deleted] = await Promise.all([
    listMemberships(app, session.userId),
    findDetails(app, session),
    listReceived(app, session),
    findDomainMatches(app, session),
    session.orgId ? listOrphanedCredentials(app, session, session.orgId) : [],
    listDeleted(app, session.userId),
  ])
  return {
    orgs: memberships.map(toEntry),
    activeOrgId: workingIn(session),
    active,
    orphanedCredentials,
    // A person with an unconfirmed address learns only that there are invitations.
    invitations: isTrusted(app, session) ? received : [],
    needsVerifiedEmail: !isTrusted(app, session) && received.length > 0,
    // They learn only that there is a team, not its name.
    domainMatches: session.emailVerified ? matches : [],
    hasUnconfirmedMatch: !session.emailVerified && matches.length > 0,
    deleted,
  }
}

/** Returns the settings of the organization a person works in; null without one, and when it is closed to this session. */
export async function findDetails(app: App, session: Session): Promise<OrganizationDetails | null> {
  if (!session.orgId || !session.orgRole) return null
  const find = app.db.prepareRead<
    Omit<OrganizationDetails, 'role' | 'createdAt' | 'agentsReadOnly' | 'secondFactorSince' | 'isLastOwner'> & {
      owners: number
      createdAt: number
      agentsReadOnly: number
      secondFactorSince: number | null
    }
  >(
    `select o.id as id, o.name as name, o.slug as slug, case when ${DOMAIN_HOLDS} then o.allowed_domain end as allowedDomain, o.required_auth_provider as requiredAuthProvider, o.required_auth_domain as requiredAuthDomain,
      o.second_factor_since as secondFactorSince, o.second_factor_grace_days as secondFactorGraceDays,
      o.agents_read_only as agentsReadOnly, o.created_at as createdAt, (select count(*) from org_members where org_id = o.id) as memberCount,
      (select count(*) from org_members where org_id = o.id and role = 'owner') as owners
      from organizations o where o.id = ?`,
  )
  const [row] = await find([session.orgId])
  if (!row) return null
  const { owners, ...details } = row
  const { orgRole: role } = session
  const createdAt = new Date(row.createdAt).toISOString()
  const isLastOwner = role === 'owner' && owners === 1
  const agentsReadOnly = row.agentsReadOnly === 1
  const secondFactorSince = isoTimeOrNull(row.secondFactorSince)
  return { ...details, role, createdAt, isLastOwner, secondFactorSince, agentsReadOnly }
}

const isTrusted = (app: App, session: Session): boolean => session.emailVerified || app.config.signIn.acceptsUnverified

/** Lists the invitations that the person can answer, oldest first; none for an unconfirmed address. */
export const listOpenInvitations = async (app: App, session: Session): Promise<ReceivedInvitation[]> =>
  isTrusted(app, session) ? listReceived(app, session) : []

async function listReceived(app: App, session: Session): Promise<ReceivedInvitation[]> {
  const rows = await findInvitations(app, `i.email = ? and i.status = 'pending'`, [session.email.toLowerCase()])
  return rows
    .filter(({ isOpen }) => isOpen)
    .map(({ id, orgName, role, invitedBy, inviter, expiresAt }) => ({
      id,
      orgName,
      role,
      invitedBy,
      inviter: asInvited(inviter),
      expiresAt: expiresAt.toISOString(),
    }))
}
