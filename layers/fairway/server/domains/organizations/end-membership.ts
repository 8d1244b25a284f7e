import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import type { App } from '#fairway/server/kernel/app-context'
import { personJoin } from '#fairway/server/domains/people'
import {
  type DependentRows,
  endGrantsStatements,
  isExported,
  isoTime,
  type SqlPart,
} from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { TableOfRows } from '#fairway/server/kernel/owned-rows'
import { logMoves, moveOnStatements } from './active-org'
import { findHandedOver, handOverStatements, type Receivers, writeOwnedRows } from './hand-over'

/** The logged reason for a move when a membership has ended. */
export const MEMBERSHIP_ENDED = 'membership ended'

interface EndedMembership {
  orgId: string
  userId: string
  /** The membership ends only if this holds; about `m`. */
  condition: SqlPart
  /** The address of the member who takes over; defaults to the longest-standing owner. */
  receiver?: string
  /** Runs first in the same transaction. */
  first?: InStatement
}

/**
 * Deletes one membership if its condition holds, with the person's roles, teams, shares and connected apps in this organization. Hands
 * over the rows that they were responsible for. Returns true when it was deleted, all in one transaction. Throws `rows-refused`.
 */
export async function endMembership(
  app: App,
  { orgId, userId, condition, receiver, first }: EndedMembership,
): Promise<boolean> {
  const one = {
    sql: `m.org_id = ? and m.user_id = ? and ${condition.sql}`,
    args: [orgId, userId, ...condition.args],
  }
  const tables = await findHandedOver(app.db.client)
  const receivers = receiver ? { [orgId]: receiver } : {}
  const ending = endMembershipsStatements(app, { memberships: one, tables, receivers })
  const results = await writeOwnedRows(app, first ? [first, ...ending] : ending)
  await logMoves(app, results, MEMBERSHIP_ENDED)
  return results.at(-1)?.rowsAffected === 1
}

interface EndedMemberships {
  /** The memberships to end, about `m`. */
  memberships: SqlPart
  /** The application's tables, by `findHandedOver`. */
  tables: readonly TableOfRows[]
  receivers?: Receivers
}

/**
 * The statements that end these memberships. They hand over rows, and remove each person's roles, teams, shares and connected apps in
 * that organization. The last one deletes the memberships. The caller passes the results to `logMoves`.
 */
export function endMembershipsStatements(
  app: App,
  { memberships, tables, receivers }: EndedMemberships,
): InStatement[] {
  const { sql, args } = memberships
  const pairs = `(select m.org_id, m.user_id from org_members m where ${sql})`
  return [
    ...moveOnStatements(memberships),
    ...handOverStatements(tables, memberships, { receivers, now: app.now().getTime() }),
    { sql: `delete from app_member_roles where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from fw_org_role_members where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from fw_directory_roles where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from shares where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from fw_team_members where (org_id, user_id) in ${pairs}`, args },
    ...endGrantsStatements(app, { sql: `(org_id, user_id) in ${pairs}`, args }, 'membership-ended'),
    { sql: `delete from org_members where (org_id, user_id) in ${pairs}`, args },
  ]
}

/**
 * The people whom the creator `?` of organizations brought into each of them. They accepted an invitation of the creator or of a
 * person brought in, over any number of steps. The creator is included.
 */
export const BROUGHT_IN = `
  with recursive brought (org_id, user_id) as (
    select id, created_by from organizations where created_by = ?
    union
    select i.org_id, u.id from brought b
      join org_invitations i on i.org_id = b.org_id and i.invited_by = b.user_id and i.status = 'accepted'
      ${personJoin('i.email', 'email')})
  select org_id, user_id from brought`

/**
 * The statements that remove everyone whom a person brought in from the organizations that the person created. Members who joined
 * independently stay. Pending invitations of the person and of those removed are revoked, and the person becomes owner where none
 * is left. The statements do nothing unless `when` holds.
 */
export function removeBroughtInStatements(
  app: App,
  { userId, when, tables }: { userId: string; when: SqlPart; tables: readonly TableOfRows[] },
): InStatement[] {
  const now = app.now().getTime()
  return [
    {
      sql: `update org_invitations set status = 'revoked' where status = 'pending' and ${when.sql}
        and (invited_by = ? or (org_id, invited_by) in (${BROUGHT_IN}))`,
      args: [...when.args, userId, userId],
    },
    ...endMembershipsStatements(app, {
      memberships: {
        sql: `m.user_id <> ? and (m.org_id, m.user_id) in (${BROUGHT_IN}) and ${when.sql}`,
        args: [userId, userId, ...when.args],
      },
      tables,
    }),
    {
      sql: `delete from fw_team_members where user_id <> ? and (org_id, user_id) in (${BROUGHT_IN}) and ${when.sql}`,
      args: [userId, userId, ...when.args],
    },
    {
      sql: `delete from fw_suspended_members where user_id <> ? and (org_id, user_id) in (${BROUGHT_IN}) and ${when.sql}`,
      args: [userId, userId, ...when.args],
    },
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select o.id, o.created_by, 'owner', ? from organizations o
        where o.created_by = ? and o.deleted_at is null and ${when.sql}
        and not exists (select 1 from org_members x where x.org_id = o.id and x.role = 'owner')
        on conflict (org_id, user_id) do update set role = excluded.role`,
      args: [now, userId, ...when.args],
    },
  ]
}

/**
 * The condition that no claim on the account of the organization's creator is open. Until the owner of the address has decided
 * it, a member whom that account let in must not shut it out.
 */
export const makerIsSettled = (orgId: string, userId?: string): { sql: string; args: InValue[] } => ({
  sql: `not exists (select 1 from organizations o ${personJoin('o.created_by')}
    where o.id = ? and u.id = coalesce(?, u.id) and u.claim_since is not null)`,
  args: [orgId, userId ?? null],
})

/** Throws `claim-open` unless `makerIsSettled` holds, to explain why a statement wrote nothing. */
export async function refuseOpenClaim(app: App, orgId: string, userId?: string): Promise<void> {
  const isSettled = makerIsSettled(orgId, userId)
  const { rows } = await app.db.client.execute({ sql: `select ${isSettled.sql} as isSettled`, args: isSettled.args })
  if (rows[0]?.isSettled === 0) throw new AppError('claim-open')
}

/** Rows of a person in organizations and vaults count as use of their account. */
export const organizationRows: DependentRows = {
  uses: userId => [
    `select 1 from vault_credentials w where w.user_id = ${userId}`,
    `select 1 from organizations w where w.created_by = ${userId}`,
    `select 1 from org_invitations w where w.invited_by = ${userId}`,
    `select 1 from shares w where w.shared_by = ${userId}`,
    `select 1 from fw_teams w where w.created_by = ${userId}`,
    `select 1 from fw_service_accounts w where w.owner_id = ${userId}`,
  ],
  leftByStranger: (_app, { userId }) =>
    [
      'delete from vault_credentials where user_id = ?',
      'delete from vault_credentials where org_id in (select id from organizations where created_by = ?)',
      'delete from shares where shared_by = ?',
      'delete from fw_service_account_keys where created_by = ?',
      'update fw_service_accounts set jwks = null, jwks_at = null where jwks_by = ?',
    ].map(sql => ({ sql, args: [userId] })),
  ofPerson(person) {
    const { userId, email } = person
    const isIn = isExported('org_id', person)
    const isInTeam = isExported('t.org_id', person)
    const isShared = isExported('shares.org_id', person)
    const isSharedBy = isExported('s.org_id', person)
    return {
      organizations: {
        sql: `select o.id, o.name, m.role, ${isoTime('m.joined_at')} as joinedAt
        from (select * from org_members union all select * from fw_suspended_members) m
        join organizations o on o.id = m.org_id where m.user_id = ? order by m.joined_at`,
        args: [userId],
      },
      roles: {
        sql: `select org_id as organization, app_id as app, role, ${isoTime('assigned_at')} as assignedAt
        from app_member_roles where user_id = ? and ${isIn.sql} order by org_id, app_id`,
        args: [userId, ...isIn.args],
      },
      organizationRoles: {
        sql: `select r.org_id as organization, r.name, t.name as team, r.permissions, ${isoTime('h.assigned_at')} as assignedAt
        from fw_org_role_members h join fw_org_roles r on r.id = h.role_id left join fw_teams t on t.id = h.team_id
        where h.user_id = ? and ${isExported('r.org_id', person).sql} order by r.org_id, r.name_key`,
        args: [userId, ...isIn.args],
      },
      invitations: {
        sql: `select o.name as organization, i.email, i.role, i.status, ${isoTime('i.created_at')} as createdAt
        from org_invitations i join organizations o on o.id = i.org_id
        where i.email = ? or (i.invited_by = ? and ${isIn.sql}) order by i.created_at`,
        args: [email, userId, ...isIn.args],
      },
      teams: {
        sql: `select t.name, t.org_id as organization, ${isoTime('m.added_at')} as since from fw_team_members m
        join fw_teams t on t.id = m.team_id where m.user_id = ? and ${isInTeam.sql} order by m.added_at`,
        args: [userId, ...isInTeam.args],
      },
      sharedWithMe: {
        sql: `select resource, resource_id as id, t.name as team, role, ${isoTime('shared_at')} as sharedAt
        from shares left join fw_teams t on t.id = user_id
        where user_id in (select ? union all select team_id from fw_team_members where user_id = ?)
        and ${isShared.sql} order by shared_at`,
        args: [userId, userId, ...isShared.args],
      },
      sharedByMe: {
        sql: `select s.resource, s.resource_id as id, u.email as sharedWith, t.name as team, s.role,
        ${isoTime('s.shared_at')} as sharedAt from shares s left ${personJoin('s.user_id')} left join fw_teams t on t.id = s.user_id
        where s.shared_by = ? and ${isSharedBy.sql} order by s.shared_at`,
        args: [userId, ...isSharedBy.args],
      },
      serviceAccounts: {
        sql: `select name, org_id as organization, role, scopes, ${isoTime('created_at')} as createdAt from fw_service_accounts
        where owner_id = ? and deleted_at is null and ${isIn.sql} order by created_at`,
        args: [userId, ...isIn.args],
      },
      credentials: {
        sql: `select key, '…' || last_four as endsWith, ${isoTime('updated_at')} as updatedAt
        from vault_credentials where user_id = ? order by key`,
        args: [userId],
      },
    }
  },
  forgetPerson: ({ userId, email }) => [
    { sql: 'delete from vault_credentials where user_id = ?', args: [userId] },
    { sql: 'delete from shares where user_id = ?', args: [userId] },
    { sql: 'delete from fw_team_members where user_id = ?', args: [userId] },
    { sql: 'delete from app_member_roles where user_id = ?', args: [userId] },
    { sql: 'delete from fw_org_role_members where user_id = ?', args: [userId] },
    { sql: 'delete from fw_kept_out_members where user_id = ?', args: [userId] },
    { sql: 'delete from fw_directory_roles where user_id = ?', args: [userId] },
    { sql: `delete from org_invitations where email = ? and status = 'pending'`, args: [email] },
  ],
  forgetOrganization: ({ sql, args }) => [
    {
      sql: `delete from fw_service_account_keys where account_id in (select id from fw_service_accounts where ${sql})`,
      args,
    },
    ...[
      'fw_service_accounts',
      'fw_suspended_members',
      'org_invitations',
      'app_member_roles',
      'fw_org_role_members',
      'fw_org_roles',
      'shares',
      'fw_team_members',
      'fw_teams',
      'vault_credentials',
      'fw_kept_out_members',
      'fw_directory_roles',
      'fw_org_domains',
      'fw_org_connections',
      'fw_former_slugs',
    ].map(table => ({
      sql: `delete from ${table} where ${sql}`,
      args,
    })),
  ],
  // The same organization may have invited the new address as well. Then that invitation counts.
  changeAddress: ({ email, newEmail }) => [
    { sql: 'update or ignore org_invitations set email = ? where email = ?', args: [newEmail, email] },
    { sql: 'update fw_service_accounts set created_by = ? where created_by = ?', args: [newEmail, email] },
  ],
}

/** Selects the organizations of the people that match a condition on `user_id`. */
export const orgsOf = (condition: string): string => `select org_id from org_members where user_id ${condition}`
