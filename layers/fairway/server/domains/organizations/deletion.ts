// An owner's deletion of an organization: it closes immediately, can be restored in the grace period, and is then removed with
// its rows.
import { z } from 'zod'
import { purgePolicies } from './second-factor'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { endGrantsStatements } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countByTable, countRows, findTables, type Runs, type TableOfRows } from '#fairway/server/kernel/owned-rows'
import type { DeletedOrganization, OrganizationDeletion, OrganizationEntry } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { activeOrgStatements, logMoves, moveOnStatements } from './active-org'
import { makerIsSettled, refuseOpenClaim } from './end-membership'
import { type Actor, findActiveOrg } from './org-context'
import { refuseClosed } from './opened-organizations'
import { findMembership, toEntry } from './switch-organization'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const PIECE = 1000

/** Returns the rows and members that a deletion would remove, and when. It changes nothing. Throws `name-mismatch`. */
export async function planDeletion(app: App, actor: Actor, typed: string): Promise<OrganizationDeletion> {
  if (typed.trim().toLowerCase() !== actor.orgName.trim().toLowerCase()) throw new AppError('name-mismatch')
  const { client } = app.db
  const rows = await countByTable(client, ofAuthors(app, await findTables(client)), () => 'org_id = ?', [actor.orgId])
  const members = await countRows(client, 'org_members where org_id = ?', [actor.orgId])
  const purgeAt = new Date(app.now().getTime() + app.config.orgDeletionGrace * DAY_IN_MS)
  return { rows, members, purgeAt: purgeAt.toISOString(), nextOrgId: actor.orgId }
}

/** Returns the tables that are the application's own and whose rows are in organizations. */
export const ofAuthors = (app: App, tables: readonly TableOfRows[]): TableOfRows[] =>
  tables.filter(({ name, hasOrg }) => hasOrg && !app.platformTables.has(name))

/**
 * Deletes the organization after its name was typed again. All members lose access, and its connected apps end. Returns the
 * organization that the person works in now, and until when an owner can restore this one. Throws `name-mismatch`, `claim-open`,
 * and `forbidden` when the person is not an owner at that moment.
 */
export async function deleteOrganization(app: App, actor: Actor, typed: string): Promise<OrganizationDeletion> {
  const { orgId, userId } = actor
  const planned = await planDeletion(app, actor, typed)
  const isSettled = makerIsSettled(orgId)
  const results = await app.db.client.batch(
    [
      {
        sql: `update organizations set deleted_at = ?, purge_at = ? where id = ? and deleted_at is null and exists (
          select 1 from org_members where org_id = organizations.id and user_id = ? and role = 'owner') and ${isSettled.sql}`,
        args: [app.now().getTime(), Date.parse(planned.purgeAt), orgId, userId, ...isSettled.args],
      },
      ...suspendStatements(app, orgId),
    ],
    'write',
  )
  if (results[0]?.rowsAffected !== 1) {
    await refuseOpenClaim(app, orgId)
    throw new AppError('forbidden')
  }
  await logMoves(app, results, 'organization deleted')
  app.log.info('organization deleted', { orgId, userId, purgeAt: planned.purgeAt })
  inBackground(app, 'remove deleted organizations', () => purgeOrganizations(app))
  return { ...planned, nextOrgId: (await findActiveOrg(app, actor.session.userId))?.id ?? null }
}

/** The statements that suspend all memberships of an organization, if it is deleted. */
function suspendStatements(app: App, orgId: string): InStatement[] {
  const isDeleted = '(select deleted_at from organizations where id = ?) is not null'
  const args = [orgId, orgId]
  return [
    ...moveOnStatements({ sql: `m.org_id = ? and ${isDeleted}`, args }),
    {
      sql: `insert into fw_suspended_members (org_id, user_id, role, joined_at)
        select org_id, user_id, role, joined_at from org_members where org_id = ? and ${isDeleted}`,
      args,
    },
    // Apps stay disconnected after a restore, because an owner may have deleted the organization because of them.
    ...endGrantsStatements(app, { sql: `org_id = ? and ${isDeleted}`, args }, 'organization-deleted'),
    { sql: `delete from org_members where org_id = ? and ${isDeleted}`, args },
  ]
}

/** Lists the deleted organizations that this person can restore, soonest removal first. */
export async function listDeleted(app: App, userId: string): Promise<DeletedOrganization[]> {
  const { rows } = await app.db.client.execute({
    sql: `select o.id, o.name, o.purge_at as purgeAt from fw_suspended_members s join organizations o on o.id = s.org_id
      where s.user_id = ? and s.role = 'owner' and o.purge_at > ? order by o.purge_at, o.id`,
    args: [userId, app.now().getTime()],
  })
  return rows.map(row => deletedSchema.parse(row))
}

const deletedSchema = z
  .object({ id: z.string(), name: z.string(), purgeAt: z.number() })
  .transform(row => ({ ...row, purgeAt: new Date(row.purgeAt).toISOString() }))

/**
 * Restores an organization for its owner, like `restoreFor`. Throws `provider-required` or `second-factor-setup-required` when
 * its rules keep the session out, and `not-found`.
 */
export async function restoreOrganization(app: App, session: Session, orgId: string): Promise<OrganizationEntry> {
  await refuseClosed(app, session, [orgId])
  return restoreFor(app, session.userId, orgId)
}

/**
 * Undoes `deleteOrganization`. All members get their roles back, and those who work without an organization work in this one
 * again. Throws `not-found` when it has been removed or the person was not an owner.
 */
export async function restoreFor(app: App, userId: string, orgId: string): Promise<OrganizationEntry> {
  const mayRestore = `exists (select 1 from fw_suspended_members s join organizations o on o.id = s.org_id
    where s.org_id = ? and s.user_id = ? and s.role = 'owner' and o.purge_at > ?)`
  const args: InValue[] = [orgId, userId, app.now().getTime()]
  const isSuspended = 'u.id in (select user_id from fw_suspended_members where org_id = ?)'
  const results = await app.db.client.batch(
    [
      ...activeOrgStatements({
        who: {
          sql: `${isSuspended} and not exists (select 1 from org_members x where x.user_id = u.id) and ${mayRestore}`,
          args: [orgId, ...args],
        },
        to: { sql: '?', args: [orgId] },
      }),
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at)
          select org_id, user_id, role, joined_at from fw_suspended_members where org_id = ? and ${mayRestore}`,
        args: [orgId, ...args],
      },
      {
        sql: `update organizations set deleted_at = null, purge_at = null where id = ? and ${mayRestore}`,
        args: [orgId, ...args],
      },
      {
        sql: `delete from fw_suspended_members where org_id = ?
          and exists (select 1 from organizations where id = ? and deleted_at is null)`,
        args: [orgId, orgId],
      },
    ],
    'write',
  )
  const membership = results.at(-1)?.rowsAffected ? await findMembership(app, userId, orgId) : null
  if (!membership) throw new AppError('not-found', { detail: 'There is no deleted organization that you can restore.' })
  app.log.info('organization restored', { orgId, userId })
  return toEntry(membership)
}

/**
 * Removes organizations whose grace period has passed, with the rows of every table that has `org_id`. It deletes in batches and
 * continues where it stopped. The audit log stays.
 */
export async function purgeOrganizations(app: App): Promise<void> {
  await purgePolicies(app)
  // From here on, it cannot be restored, even if the clock of another machine is behind.
  const { rows } = await app.db.client.execute({
    sql: 'update organizations set purge_at = 0 where purge_at <= ? returning id',
    args: [app.now().getTime()],
  })
  const tables = rows.length > 0 ? ofAuthors(app, await findTables(app.db.client)) : []
  for (const { id } of rows) {
    await purge(app, tables, String(id)).catch((error: unknown) =>
      app.log.error('a deleted organization was not removed completely; the next hour tries again', {
        orgId: id,
        error,
      }),
    )
  }
}

async function purge(app: App, tables: readonly TableOfRows[], orgId: string): Promise<void> {
  await removeRows(app, tables, orgId)
  await app.db.client.batch(forgetStatements(app, orgId), 'write')
  app.log.info('organization removed', { orgId })
}

/** The statements that remove all of the platform's rows of an organization except the audit log. */
export const forgetStatements = (app: App, orgId: string): InStatement[] => [
  ...app.dependents.flatMap(declared => declared.forgetOrganization?.({ sql: 'org_id = ?', args: [orgId] }) ?? []),
  { sql: 'delete from organizations where id = ?', args: [orgId] },
]

/** Deletes referenced rows after the rows that refer to them: a table that refuses is tried again when another one is empty. */
async function removeRows(app: App, tables: readonly TableOfRows[], orgId: string): Promise<void> {
  const refused: TableOfRows[] = []
  let refusal: unknown
  for (const table of tables) {
    try {
      while (await removePiece(app.db.client, table, orgId));
    } catch (error) {
      refused.push(table)
      refusal = error
    }
  }
  if (refused.length === tables.length && refusal !== undefined) throw refusal
  if (refused.length > 0) await removeRows(app, refused, orgId)
}

/** Returns true when there may be more rows. Deletes the newest rows first, because rows mostly refer to older ones. */
async function removePiece(on: Runs, { quoted, hasRowid }: TableOfRows, orgId: string): Promise<boolean> {
  const piece = `rowid in (select rowid from ${quoted} where org_id = ? order by rowid desc limit ${PIECE})`
  const { rowsAffected } = await on.execute({
    sql: `delete from ${quoted} where ${hasRowid ? piece : 'org_id = ?'}`,
    args: [orgId],
  })
  return hasRowid && rowsAffected === PIECE
}
