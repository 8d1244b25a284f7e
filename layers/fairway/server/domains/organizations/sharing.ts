import { PEOPLE, personJoin } from '#fairway/server/domains/people'
import { and, eq, getTableName, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldErrors } from '#fairway/shared/field-errors'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { shares } from './tables'
import type { Visibility } from './ownable-columns'
import { type Caller, keysOf } from './caller'
import { accessibleTo, type OwnableTable, sharedWith, type ShareRole } from './row-access'
import { holdersOf, principalOf } from './service-accounts/principal'

/**
 * Returns the caller's access to a row that `accessibleTo` has found: `owner`, or the highest role.
 * That comes from its shares with the caller and their teams, or from its visibility.
 */
export function accessOf(table: OwnableTable, caller: Caller): SQL<'owner' | ShareRole> {
  const { email, userId, orgId } = keysOf(caller)
  // The names of the roles sort from the highest.
  return sql`case when ${table.ownerEmail} = ${email} then 'owner' else coalesce((select min(role) from shares
    where resource = ${getTableName(table)} and resource_id = ${table.id} and user_id in (${holdersOf(orgId, userId)}) and role <> 'viewer'),
    case ${table.visibility} when 'org-edit' then 'editor' else 'viewer' end) end`
}

/** Whom a share names: a member by the address, or a team. */
type Holder = { email: string; teamId?: undefined } | { teamId: string; email?: undefined }

interface TeamShare {
  teamId: string
  name: string
  /** How many members are in it. */
  people: number
  role: ShareRole
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
 * Shares a row with another member of its organization, or with one of its teams; sharing again changes the role. Throws
 * `not-found`, `forbidden`, `conflict`, `no-organization`.
 */
export async function shareRow(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, role, now, ...holder }: Holder & { id: string; role: ShareRole; now: Date },
): Promise<void> {
  await requireAccess(db, table, session, id, 'admin')
  if (holder.email === session.email) throw new AppError('conflict', { detail: 'You have this already.' })
  const holderId =
    holder.teamId === undefined
      ? sql`(select u.id from org_members m ${sql.raw(personJoin('m.user_id'))}
          where m.org_id = ${table.orgId} and u.email = ${holder.email} and u.email <> ${table.ownerEmail})`
      : sql`(select t.id from fw_teams t where t.org_id = ${table.orgId} and t.id = ${holder.teamId})`
  const written = await db.all<{ found: number }>(sql`
    insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at)
    select ${getTableName(table)}, ${table.id}, ${holderId}, ${role}, ${table.orgId}, ${session.userId}, ${now.getTime()}
    from ${table} where ${table.id} = ${id} and ${holderId} is not null and ${sharedWith(table, session, 'admin')}
    on conflict (resource, resource_id, user_id) do update set role = excluded.role, shared_by = excluded.shared_by, shared_at = excluded.shared_at
    returning 1 as found`)
  if (written.length > 0) return
  // The right may have ended since the first check.
  await requireAccess(db, table, session, id, 'admin')
  const [row] = await db.select({ orgId: table.orgId, owner: table.ownerEmail }).from(table).where(eq(table.id, id))
  if (!row?.orgId) throw new AppError('no-organization', { detail: 'This was made outside an organization.' })
  if (row.owner === holder.email) throw new AppError('conflict', { detail: 'This belongs to that person.' })
  throw new AppError('not-found', { detail: fieldErrors[holder.teamId === undefined ? 'no-member' : 'no-team'] })
}

/**
 * Removes the share of a person or a team; removing it twice has no further effect. People may also remove their own share.
 * Throws `not-found` and `forbidden`.
 */
export async function unshareRow(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, email, teamId }: Holder & { id: string },
): Promise<void> {
  await requireAccess(db, table, session, id, email === session.email ? 'viewer' : 'admin')
  const holder = teamId ?? sql`(select u.id from ${sql.raw(PEOPLE)} where u.email = ${email})`
  await db.run(
    sql`delete from shares where resource = ${getTableName(table)} and resource_id = ${id} and user_id = ${holder}`,
  )
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

/** Lists the teams a row is shared with, for those who may share it. */
export async function listTeamShares(db: Orm, table: OwnableTable, session: Session, id: string): Promise<TeamShare[]> {
  await requireAccess(db, table, session, id, 'admin')
  return db.all<TeamShare>(sql`select t.id as teamId, t.name as name, ${shares.role} as role, (select count(*) from fw_team_members p
      join org_members m on m.org_id = p.org_id and m.user_id = p.user_id where p.team_id = t.id) as people
    from ${shares} join fw_teams t on t.id = shares.user_id
    where ${shares.resource} = ${getTableName(table)} and ${shares.resourceId} = ${id} order by t.name_key, t.id`)
}

/**
 * The statement that removes shares of rows of a table. The condition may use the shared row (`shares.resource_id`) and the
 * person or the team it is shared with (`shares.user_id`).
 */
export const forgetSharesSql = (table: string, condition: string): string =>
  `delete from shares where resource = '${table.replaceAll("'", "''")}' and ${condition}`

/** Returns a person's highest share of a row that belongs to another person, their teams' shares included; null for none. */
export async function findShare(
  app: App,
  table: string,
  id: string,
  session: Pick<Session, 'email' | 'userId' | 'orgId' | 'serviceAccount'>,
): Promise<ShareRole | null> {
  const holders = holdersOf(session.orgId, principalOf(session).userId)
  const [row] = await app.db.orm
    .select({ role: sql<ShareRole | null>`min(${shares.role})` })
    .from(shares)
    .where(and(eq(shares.resource, table), eq(shares.resourceId, id), sql`${shares.userId} in (${holders})`))
  return row?.role ?? null
}
