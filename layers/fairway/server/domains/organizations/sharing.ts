import { PEOPLE, personJoin } from '#fairway/server/domains/people'
import { and, eq, getTableName, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldErrors } from '#fairway/shared/field-errors'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { shares } from './tables'
import type { Visibility } from './ownable-columns'
import { accessibleTo, type Caller, keysOf, type OwnableTable, sharedWith, type ShareRole } from './row-access'

/**
 * Returns the caller's access to a row that `accessibleTo` has found: `owner`, or the highest role from a share or its
 * visibility.
 */
export function accessOf(table: OwnableTable, caller: Caller): SQL<'owner' | ShareRole> {
  const { email, userId } = keysOf(caller)
  return sql`case when ${table.ownerEmail} = ${email} then 'owner' else coalesce((select role from shares
    where resource = ${getTableName(table)} and resource_id = ${table.id} and user_id = ${userId} and role <> 'viewer'),
    case ${table.visibility} when 'org-edit' then 'editor' else 'viewer' end) end`
}

interface Share {
  userId: string
  email: string
  name: string
  image: string | null
  role: ShareRole
}

/**
 * Throws `not-found` for a row the person cannot read, and `forbidden` for one that is not shared with them with this role. No
 * policy grants sharing.
 */
async function requireAccess(
  db: Orm,
  table: OwnableTable,
  session: Session,
  id: string,
  role: ShareRole,
): Promise<void> {
  const [row] = await db
    .select({ isEnough: sql<number>`${sharedWith(table, session, role)}` })
    .from(table)
    .where(and(eq(table.id, id), accessibleTo(table, session)))
  if (!row) throw new AppError('not-found')
  if (row.isEnough !== 1) throw new AppError('forbidden', { detail: `This requires the ${role} role on this item.` })
}

/**
 * Shares a row with another member of its organization; sharing again changes the role. Throws `not-found`, `forbidden`,
 * `conflict`, `no-organization`.
 */
export async function shareRow(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, email, role, now }: { id: string; email: string; role: ShareRole; now: Date },
): Promise<void> {
  await requireAccess(db, table, session, id, 'admin')
  if (email === session.email) throw new AppError('conflict', { detail: 'You have this already.' })
  const written = await db.all<{ found: number }>(sql`
    insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at)
    select ${getTableName(table)}, ${table.id}, u.id, ${role}, ${table.orgId}, ${session.userId}, ${now.getTime()}
    from ${table} join org_members m on m.org_id = ${table.orgId} ${sql.raw(personJoin('m.user_id'))}
    where ${table.id} = ${id} and u.email = ${email} and u.email <> ${table.ownerEmail} and ${sharedWith(table, session, 'admin')}
    on conflict (resource, resource_id, user_id) do update set role = excluded.role, shared_by = excluded.shared_by, shared_at = excluded.shared_at
    returning 1 as found`)
  if (written.length > 0) return
  const [row] = await db.select({ orgId: table.orgId, owner: table.ownerEmail }).from(table).where(eq(table.id, id))
  if (!row?.orgId) throw new AppError('no-organization', { detail: 'This was made outside an organization.' })
  if (row.owner === email) throw new AppError('conflict', { detail: 'This belongs to that person.' })
  throw new AppError('not-found', { detail: fieldErrors['no-member'] })
}

/**
 * Removes a person's share; removing it twice has no further effect. People may also remove their own share. Throws `not-found`
 * and `forbidden`.
 */
export async function unshareRow(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await requireAccess(db, table, session, id, email === session.email ? 'viewer' : 'admin')
  await db.run(sql`delete from shares where resource = ${getTableName(table)} and resource_id = ${id}
    and user_id = (select u.id from ${sql.raw(PEOPLE)} where u.email = ${email})`)
}

/**
 * Sets who in the organization can see a row: all members, to read or also to change, or only its owner and shares. Throws
 * `not-found`, `forbidden`, `no-organization`.
 */
export async function setVisibility(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, visibility }: { id: string; visibility: Visibility },
): Promise<void> {
  await requireAccess(db, table, session, id, 'admin')
  const changed = await db.all(sql`update ${table} set visibility = ${visibility} where id = ${id}
    and (${visibility} = 'private' or org_id is not null) and ${sharedWith(table, session, 'admin')} returning 1 as found`)
  if (changed.length === 0) throw new AppError('no-organization', { detail: 'This was made outside an organization.' })
}

/** Lists the people a row is shared with, for those who may share it. */
export async function listShares(db: Orm, table: OwnableTable, session: Session, id: string): Promise<Share[]> {
  await requireAccess(db, table, session, id, 'admin')
  return db.all<Share>(sql`select u.id as userId, u.email as email, u.name as name, u.image as image, ${shares.role} as role from ${shares}
    ${sql.raw(personJoin('shares.user_id'))} where ${shares.resource} = ${getTableName(table)} and ${shares.resourceId} = ${id}
    order by u.email`)
}

/**
 * The statement that removes shares of rows of a table. The condition may use the shared row (`shares.resource_id`) and the
 * person it is shared with (`shares.user_id`).
 */
export const forgetSharesSql = (table: string, condition: string): string =>
  `delete from shares where resource = '${table.replaceAll("'", "''")}' and ${condition}`

/** Returns a person's share of a row that belongs to another person; null for none. */
export async function findShare(app: App, table: string, id: string, userId: string): Promise<ShareRole | null> {
  const [row] = await app.db.orm
    .select({ role: shares.role })
    .from(shares)
    .where(and(eq(shares.resource, table), eq(shares.resourceId, id), eq(shares.userId, userId)))
  return row?.role ?? null
}
