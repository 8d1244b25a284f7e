import { PEOPLE } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { HandOver, OrganizationMember } from '#fairway/shared/schemas/organization'
import { managesRole, type OrgRole } from '#fairway/shared/roles'
import { forgetGivenRoleStatement } from './directory-membership'
import { endMembership, makerIsSettled, refuseOpenClaim } from './end-membership'
import { planHandOver } from './hand-over'
import { findMember } from './member-list'
import { openedOrganizations } from './opened-organizations'
import type { Session } from '#fairway/shared/schemas/session'
import { type Actor, checkMayGive, membershipJoin } from './org-context'

/** Returns the member with this address; throws `not-found` when there is none. */
export async function requireMember(app: App, orgId: string, email: string): Promise<OrganizationMember> {
  const member = await findMember(app, orgId, email)
  if (!member) throw new AppError('not-found', { detail: 'Nobody with this address is a member.' })
  return member
}

/** Returns the addresses that belong to members of the organization. */
export async function findMembers(app: App, orgId: string | null, emails: readonly string[]): Promise<Set<string>> {
  const find = app.db.prepareRead<{ email: string }>(
    `select u.email as email from ${PEOPLE} ${membershipJoin('?')} where u.email in (select value from json_each(?))`,
  )
  return new Set((await find([orgId, JSON.stringify(emails)])).map(({ email }) => email))
}

/** Returns the addresses of the owners and admins of an organization, first joined first. */
export async function listManagers(
  app: App,
  orgId: string,
  roles: readonly OrgRole[] = ['owner', 'admin'],
): Promise<string[]> {
  const find = app.db.prepareRead<{ email: string }>(
    `select u.email as email from ${PEOPLE} ${membershipJoin('?')}
     where m.role in (select value from json_each(?)) order by m.joined_at, u.id`,
  )
  return (await find([orgId, JSON.stringify(roles)])).map(({ email }) => email)
}

const ACTOR_ROLE = '(select role from org_members where org_id = ? and user_id = ?)'
const OTHER_OWNER = `exists (select 1 from org_members where org_id = ? and role = 'owner' and user_id <> ?)`

/**
 * Changes a member's role; throws `own-role`, `forbidden`, `fresh-session-required`, `conflict`, `last-owner` or `claim-open`.
 * The write itself checks all rules.
 */
export async function changeMemberRole(
  app: App,
  actor: Actor,
  email: string,
  role: OrgRole,
): Promise<OrganizationMember> {
  const member = await requireManaged(app, actor, email)
  const isSettled = makerIsSettled(actor.orgId, member.userId)
  await checkMayGive(actor, role)
  const [changed] = await app.db.client.batch(
    [
      {
        sql: `update org_members set role = ? where org_id = ? and user_id = ? and role = ? and ${ACTOR_ROLE} = ?
          and (role <> 'owner' or ? = 'owner' or ${OTHER_OWNER}) and (? = 'owner' or ${isSettled.sql})`,
        args: [
          role,
          actor.orgId,
          member.userId,
          member.role,
          actor.orgId,
          actor.userId,
          actor.role,
          role,
          actor.orgId,
          member.userId,
          role,
          ...isSettled.args,
        ],
      },
      forgetGivenRoleStatement(actor.orgId),
    ],
    'write',
  )
  if (changed?.rowsAffected !== 1) throw await reasonOf(app, actor, member)
  app.log.info('member role changed', { orgId: actor.orgId, by: actor.userId, userId: member.userId, role })
  return { ...member, role }
}

interface Leaving {
  /** The address of the member who takes over. */
  receiver?: string
  /** Only returns what would be handed over. */
  isDryRun?: boolean
}

/**
 * Removes a member with their roles and shares in the organization, and hands over the rows that they were responsible for.
 * Returns the rows and the receiver. Throws `own-role`, `forbidden`, `not-a-member` for the receiver, `rows-refused`, `conflict`,
 * `last-owner` or `claim-open`.
 */
export async function removeMember(
  app: App,
  actor: Actor,
  email: string,
  { receiver, isDryRun = false }: Leaving = {},
): Promise<HandOver> {
  const member = await requireManaged(app, actor, email)
  const isSettled = makerIsSettled(actor.orgId, member.userId)
  const condition = {
    sql: `m.role = ? and ${ACTOR_ROLE} = ? and (m.role <> 'owner' or ${OTHER_OWNER}) and ${isSettled.sql}`,
    args: [member.role, actor.orgId, actor.userId, actor.role, actor.orgId, member.userId, ...isSettled.args],
  }
  const handOver = await planHandOver(app.db.client, { orgId: actor.orgId, email, receiver })
  if (isDryRun) return handOver
  const ended = { orgId: actor.orgId, userId: member.userId, condition, receiver: handOver.receivedBy?.email }
  if (!(await endMembership(app, ended))) throw await reasonOf(app, actor, member)
  app.log.info('member removed', {
    orgId: actor.orgId,
    by: actor.userId,
    userId: member.userId,
    handedOver: handOver.rows,
  })
  return handOver
}

/**
 * Ends the person's own membership and hands over like `removeMember`. Throws `not-a-member` for the receiver, `rows-refused`,
 * `last-owner` when the organization would have no owner, and `claim-open`.
 */
export async function leaveOrganization(
  app: App,
  actor: Actor,
  { receiver, isDryRun = false }: Leaving = {},
): Promise<HandOver> {
  const isSettled = makerIsSettled(actor.orgId, actor.userId)
  const condition = {
    sql: `(m.role <> 'owner' or ${OTHER_OWNER}) and ${isSettled.sql}`,
    args: [actor.orgId, actor.userId, ...isSettled.args],
  }
  const { orgId, userId, email } = actor
  const handOver = await planHandOver(app.db.client, { orgId, email, receiver })
  if (isDryRun) return handOver
  if (!(await endMembership(app, { orgId, userId, condition, receiver: handOver.receivedBy?.email }))) {
    await refuseOpenClaim(app, orgId, userId)
    throw new AppError('last-owner')
  }
  app.log.info('member left', { orgId, userId, handedOver: handOver.rows })
  return handOver
}

/**
 * Makes another member the owner and the current owner an admin, in one statement; throws `own-role`, `conflict` and
 * `claim-open`.
 */
export async function transferOwnership(app: App, actor: Actor, email: string): Promise<void> {
  const member = await requireMember(app, actor.orgId, email)
  if (member.userId === actor.userId) throw new AppError('own-role')
  const isSettled = makerIsSettled(actor.orgId, actor.userId)
  const [changed] = await app.db.client.batch(
    [
      {
        sql: `update org_members set role = case when user_id = ? then 'owner' else 'admin' end
          where org_id = ? and user_id in (?, ?) and ${ACTOR_ROLE} = 'owner'
          and exists (select 1 from org_members where org_id = ? and user_id = ?) and ${isSettled.sql}`,
        args: [
          member.userId,
          actor.orgId,
          member.userId,
          actor.userId,
          actor.orgId,
          actor.userId,
          actor.orgId,
          member.userId,
          ...isSettled.args,
        ],
      },
      forgetGivenRoleStatement(actor.orgId),
    ],
    'write',
  )
  if (changed?.rowsAffected !== 2) {
    await refuseOpenClaim(app, actor.orgId, actor.userId)
    throw new AppError('conflict')
  }
  app.log.info('ownership transferred', { orgId: actor.orgId, from: actor.userId, to: member.userId })
}

async function requireManaged(app: App, actor: Actor, email: string): Promise<OrganizationMember> {
  const member = await requireMember(app, actor.orgId, email)
  if (member.userId === actor.userId) throw new AppError('own-role')
  if (!managesRole(actor.role, member.role)) throw new AppError('forbidden', { detail: 'Only an owner may do this.' })
  return member
}

// Another request changed something between the read and the write, or the member is the last owner.
async function reasonOf(app: App, actor: Actor, { userId, email }: OrganizationMember): Promise<AppError> {
  await refuseOpenClaim(app, actor.orgId, userId)
  const member = await requireMember(app, actor.orgId, email)
  return new AppError(member.role === 'owner' ? 'last-owner' : 'conflict')
}

/** Whether a session may see the identity of a person: its own, and those of members of an organization that it opens. */
export async function seesPerson(app: App, session: Session, userId: string): Promise<boolean> {
  if (session.userId === userId) return true
  const { openIds } = await openedOrganizations(app, session)
  const find = app.db.prepareRead<object>(
    'select 1 from org_members where user_id = ? and org_id in (select value from json_each(?)) limit 1',
  )
  return (await find([userId, JSON.stringify(openIds)])).length > 0
}
