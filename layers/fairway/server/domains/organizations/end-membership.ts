import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import type { App } from '#fairway/server/kernel/app-context'
import { personJoin } from '#fairway/server/domains/people'
import { type DependentRows, endGrantsStatements, type SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { logMoves, moveOnStatements } from './active-org'

/** Why people work elsewhere whose membership has ended. */
export const MEMBERSHIP_ENDED = 'membership ended'

/**
 * Deletes one membership when the condition on it holds, and with it what the person was given in this organization.
 * True when it was deleted; all in one transaction.
 */
export async function endMembership(app: App, orgId: string, userId: string, condition: SqlPart): Promise<boolean> {
  const one = {
    sql: `m.org_id = ? and m.user_id = ? and ${condition.sql}`,
    args: [orgId, userId, ...condition.args],
  }
  const results = await app.db.client.batch(endMembershipsStatements(app, one), 'write')
  await logMoves(app, results, MEMBERSHIP_ENDED)
  return results.at(-1)?.rowsAffected === 1
}

/**
 * The statements that end these memberships (`m`), and with each what the person was given in that organization; the last one
 * deletes them. The caller hands their results to `logMoves`.
 */
function endMembershipsStatements(app: App, memberships: SqlPart): InStatement[] {
  const { sql, args } = memberships
  const pairs = `(select m.org_id, m.user_id from org_members m where ${sql})`
  return [
    ...moveOnStatements(memberships),
    { sql: `delete from app_member_roles where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from shares where (org_id, user_id) in ${pairs}`, args },
    ...endGrantsStatements(app, { sql: `(org_id, user_id) in ${pairs}`, args }, 'membership-ended'),
    { sql: `delete from org_members where (org_id, user_id) in ${pairs}`, args },
  ]
}

/**
 * Whom the maker `?` of organizations has brought into each of them: by an invitation of their own or of a person brought in, however
 * far back. The maker is one of them.
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
 * The statements after which a person is alone, but for those who came by themselves, in the organizations they made: whom they
 * brought in is out, what those or the person promised others is withdrawn, and where no owner is left they are it. They do
 * nothing where `when` does not hold.
 */
export function removeBroughtInStatements(
  app: App,
  { userId, when }: { userId: string; when: { sql: string; args: InValue[] } },
): InStatement[] {
  const now = app.now().getTime()
  return [
    {
      sql: `update org_invitations set status = 'revoked' where status = 'pending' and ${when.sql}
        and (invited_by = ? or (org_id, invited_by) in (${BROUGHT_IN}))`,
      args: [...when.args, userId, userId],
    },
    ...endMembershipsStatements(app, {
      sql: `m.user_id <> ? and (m.org_id, m.user_id) in (${BROUGHT_IN}) and ${when.sql}`,
      args: [userId, userId, ...when.args],
    }),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select o.id, o.created_by, 'owner', ? from organizations o
        where o.created_by = ? and ${when.sql}
        and not exists (select 1 from org_members x where x.org_id = o.id and x.role = 'owner')
        on conflict (org_id, user_id) do update set role = excluded.role`,
      args: [now, userId, ...when.args],
    },
  ]
}

/**
 * The condition that the owner of the address behind the account that made this organization has nothing left to say about who
 * uses it. Until then, a member whom that account let in must not shut it out.
 */
export const makerIsSettled = (orgId: string, userId?: string): { sql: string; args: InValue[] } => ({
  sql: `not exists (select 1 from organizations o ${personJoin('o.created_by')}
    where o.id = ? and u.id = coalesce(?, u.id) and u.claim_since is not null)`,
  args: [orgId, userId ?? null],
})

/** Throws `claim-open` where `makerIsSettled` does not hold: to say why nothing was written. */
export async function refuseOpenClaim(app: App, orgId: string, userId?: string): Promise<void> {
  const isSettled = makerIsSettled(orgId, userId)
  const { rows } = await app.db.client.execute({ sql: `select ${isSettled.sql} as isSettled`, args: isSettled.args })
  if (rows[0]?.isSettled === 0) throw new AppError('claim-open')
}

/** What a person left in organizations and vaults says that their account was used. */
export const organizationRows: DependentRows = {
  uses: userId => [
    `select 1 from vault_credentials w where w.user_id = ${userId}`,
    `select 1 from organizations w where w.created_by = ${userId}`,
    `select 1 from org_invitations w where w.invited_by = ${userId}`,
    `select 1 from shares w where w.shared_by = ${userId}`,
  ],
  leftByStranger: (_app, { userId }) =>
    [
      'delete from vault_credentials where user_id = ?',
      'delete from vault_credentials where org_id in (select id from organizations where created_by = ?)',
      'delete from shares where shared_by = ?',
    ].map(sql => ({ sql, args: [userId] })),
}

/** The organizations of the people that fit a condition on `user_id`. */
export const orgsOf = (condition: string): string => `select org_id from org_members where user_id ${condition}`
