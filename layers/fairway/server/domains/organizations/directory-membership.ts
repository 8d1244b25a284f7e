// Memberships that follow a directory: whom it adds, whom it removes, and who is kept out since.
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { joinStatements, logMoves } from './active-org'
import { endMembership } from './end-membership'
import { findMembership } from './switch-organization'

interface Membership {
  orgId: string
  userId: string
}

/** SQL: whether the directory of the organization in one column has not removed the user in the other. */
export const isNotKeptOut = (orgId: string, userId: string): string =>
  `not exists (select 1 from fw_kept_out_members k where k.org_id = ${orgId} and k.user_id = ${userId})`

/** Throws `directory-removed` when the directory of the organization has removed a person. */
export async function checkNotKeptOut(app: App, { orgId, userId }: Membership): Promise<void> {
  const [row] = await app.db.prepareRead<{ isFree: number }>(`select ${isNotKeptOut('?', '?')} as isFree`)([
    orgId,
    userId,
  ])
  if (row?.isFree !== 1) throw new AppError('directory-removed')
}

/** The condition that the person `u` is a member of this organization and of no other, deleted ones included. */
export const belongsOnlyTo = (orgId: string): SqlPart => ({
  sql: `exists (select 1 from org_members m where m.user_id = u.id and m.org_id = ?)
    and not exists (select 1 from org_members m where m.user_id = u.id and m.org_id <> ?)
    and not exists (select 1 from fw_suspended_members m where m.user_id = u.id and m.org_id <> ?)`,
  args: [orgId, orgId, orgId],
})

/** The statement that lets everyone in again whom the directory of an organization has removed. */
export const letInStatement = (orgId: string): InStatement => ({
  sql: 'delete from fw_kept_out_members where org_id = ?',
  args: [orgId],
})

/** Lets a person in again and makes them a member. Returns false for one who was a member. Throws `plan-limit`. */
export async function joinByDirectory(app: App, { orgId, userId }: Membership): Promise<boolean> {
  const results = await app.db.client.batch(
    [
      { sql: 'delete from fw_kept_out_members where org_id = ? and user_id = ?', args: [orgId, userId] },
      ...joinStatements(userId, orgId, { sql: '1', args: [] }),
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) select id, ?, 'member', ? from organizations
          where id = ? and deleted_at is null on conflict do nothing`,
        args: [userId, app.now().getTime(), orgId],
      },
    ],
    'write',
  )
  const isNew = results.at(-1)?.rowsAffected === 1
  await logMoves(app, results, 'added by the directory')
  if (isNew) app.log.info('member added by the directory', { orgId, userId })
  return isNew
}

/**
 * Ends a membership and keeps the person out: no domain, invitation or connection lets them in until the directory does. Their
 * rows go to the longest-standing owner, and their connected apps in the organization end. Throws `last-owner`.
 */
export async function leaveByDirectory(app: App, { orgId, userId }: Membership): Promise<void> {
  const hasOtherOwner = `exists (select 1 from org_members x where x.org_id = m.org_id and x.role = 'owner' and x.user_id <> m.user_id)`
  const isEnded = await endMembership(app, {
    orgId,
    userId,
    condition: { sql: `(m.role <> 'owner' or ${hasOtherOwner})`, args: [] },
    // In the same transaction: nobody enters again in between.
    first: {
      sql: `insert into fw_kept_out_members (org_id, user_id, since) select ?, ?, ? where not exists (
        select 1 from org_members m where m.org_id = ? and m.user_id = ? and m.role = 'owner' and not ${hasOtherOwner})
        on conflict do nothing`,
      args: [orgId, userId, app.now().getTime(), orgId, userId],
    },
  })
  if (!isEnded && (await findMembership(app, userId, orgId))) throw new AppError('last-owner')
  if (isEnded) app.log.info('member removed by the directory', { orgId, userId })
}

/** Forgets that the directory gave the role of a member, once the member has another one. */
export const forgetGivenRoleStatement = (orgId: string): InStatement => ({
  sql: `delete from fw_directory_roles where org_id = ? and role <> (
    select m.role from org_members m where m.org_id = fw_directory_roles.org_id and m.user_id = fw_directory_roles.user_id)`,
  args: [orgId],
})
