import { findPerson } from '#fairway/server/domains/people'
import { requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'
import type { App } from '#fairway/server/kernel/app-context'
import { checkWrite } from '#fairway/server/kernel/database/author-database'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { OrgRole } from '#fairway/shared/roles'
import type { MemberPage, OrganizationEntry, OrganizationMember } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import type { Team } from '#fairway/shared/schemas/team'
import { setActiveOrgId } from './active-org'
import { createOrganization } from './organization'
import { invite, type Invited } from './invite'
import { listMembers, type MemberQuery } from './member-list'
import { changeMemberRole } from './members'
import { requireOrg } from './org-context'
import { listTeams } from './teams/teams'

/**
 * The organization of the caller, in actions and in any request. Every rule of `/_fw/org` applies here too. A job lists the
 * members of its own organization; it invites and changes roles as a person.
 */
export const team = {
  /** Returns one page of the members. `lastActiveAt` is null for callers who may not see it. */
  async members(query: MemberQuery): Promise<MemberPage> {
    const run = requireRun()
    // A job acts for the application, which may see everything.
    if (run.orgId && !(await sessionOfRun(run))) return listMembers(run.app, { orgId: run.orgId, role: 'owner' }, query)
    const { app, session } = await requireSignedIn()
    return listMembers(app, requireOrg(session, 'list-members'), query)
  },
  /** Returns the teams by name, with the first people of each. */
  async teams(): Promise<Team[]> {
    const { app, session } = await requireSignedIn()
    return listTeams(app, requireOrg(session, 'read-organization').orgId)
  },
  /** Invites addresses and returns those that failed. Throws `forbidden`, and `rate-limited` beyond the limit of mails. */
  async invite(invitations: { email: string; role: OrgRole }[]): Promise<Invited> {
    const { app, session, clientAddress } = await requireSignedIn()
    return invite(app, requireOrg(session, 'invite-member'), invitations, clientAddress)
  },
  /** Changes a member’s role. Throws `forbidden`, `not-found` for an address of no member, and `last-owner`. */
  async changeRole(email: string, role: OrgRole): Promise<OrganizationMember> {
    const { app, session } = await requireSignedIn()
    return changeMemberRole(app, requireOrg(session, 'change-member-role'), email, role)
  },
  /** Creates an organization; throws `confirm-additional-organization` for a person who already has one, unless confirmed. */
  async create(input: { name: string; confirm?: boolean }): Promise<OrganizationEntry> {
    const { app, session } = await requireSignedIn()
    return createOrganization(app, session, input)
  },
}

/**
 * Moves an account to another of its organizations and logs a warning (SPEC: organizations rule 7). Works in actions, in public
 * routes, and in requests whose session was found. Throws `not-found`, `forbidden` and `unprotected-write`.
 */
export async function setActiveOrgIdOf(email: string, orgId: string | null, reason: string): Promise<void> {
  checkWrite()
  const { app } = requireRun()
  const person = await findPerson(app, { email })
  if (!person) throw new AppError('not-found')
  await setActiveOrgId(app, person, orgId, reason)
}

const AS_A_PERSON = 'A job does this as a person: `(await as({ userId })).within(() => …)`.'

async function requireSignedIn(): Promise<{ app: App; session: Session; clientAddress?: string }> {
  const run = requireRun()
  const session = await sessionOfRun(run)
  if (!session) throw new AppError('unauthenticated', run.caller === 'job' ? { detail: AS_A_PERSON } : {})
  return { app: run.app, session, clientAddress: run.clientAddress }
}
