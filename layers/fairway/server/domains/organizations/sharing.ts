import { PEOPLE, personJoin } from '#fairway/server/domains/people'
import { and, eq, getTableName, type Placeholder, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { shares } from './tables'
import type { Visibility } from './ownable-columns'

/** What a person may do with a row: read it, change it, or also share and delete it. The owner may all. */
export const SHARE_ROLES = ['viewer', 'editor', 'admin'] as const
/** What somebody may do with a row that is shared with them. */
export type ShareRole = (typeof SHARE_ROLES)[number]

/** A table that has `ownableColumns()` and an `id`. */
export type OwnableTable = SQLiteTable & {
  id: SQLiteColumn
  ownerEmail: SQLiteColumn
  orgId: SQLiteColumn
  visibility: SQLiteColumn
}

/** A table that has `organizationColumns()` and an `id`. */
export type OrganizationTable = SQLiteTable & { id: SQLiteColumn; orgId: SQLiteColumn; createdBy: SQLiteColumn }

/** A table whose rows people see by who they are: their own and what is shared with them, or those of their organization. */
export type SharedTable = OwnableTable | OrganizationTable

const isOwnable = (table: SharedTable): table is OwnableTable => 'visibility' in table

/** Whose access is meant: a session, or `callerPlaceholders` in a prepared query. */
type Caller =
  | Pick<Session, 'email' | 'userId' | 'orgId'>
  | { email: Placeholder; userId: Placeholder; orgId: Placeholder }

/** Stands for the caller in a prepared query; its values come from `callerOf(session)`. */
export const callerPlaceholders = {
  email: sql.placeholder('callerEmail'),
  userId: sql.placeholder('callerUserId'),
  orgId: sql.placeholder('callerOrgId'),
} as const

/** The values of `callerPlaceholders`. */
export const callerOf = ({ email, userId, orgId }: Pick<Session, 'email' | 'userId' | 'orgId'>) => ({
  callerEmail: email,
  callerUserId: userId,
  callerOrgId: orgId,
})

/** The owner and the organization of a new row; throws `unauthenticated` without a session: no row belongs to a stand-in. */
export function ownedBy(session: Pick<Session, 'email' | 'orgId'> | null): {
  ownerEmail: string
  orgId: string | null
} {
  if (!session) throw new AppError('unauthenticated')
  return { ownerEmail: session.email, orgId: session.orgId }
}

/**
 * The organization of a new row and who creates it, for a table with `organizationColumns()`. Throws `unauthenticated` without a
 * session and `no-organization` without an organization.
 */
export function inOrganization(session: Pick<Session, 'email' | 'name' | 'orgId'> | null): {
  orgId: string
  createdBy: string
  createdByName: string
} {
  if (!session) throw new AppError('unauthenticated')
  if (!session.orgId) throw new AppError('no-organization')
  return { orgId: session.orgId, createdBy: session.email, createdByName: session.name }
}

/**
 * The one condition behind lists and single rows: what the caller may use with at least this role. Rows of other
 * organizations never match; neither the organization role nor an app role opens anything here. Rows with `organizationColumns()`
 * belong to all members alike.
 */
export function accessibleTo(table: SharedTable, caller: Caller, role: ShareRole = 'viewer'): SQL {
  if (!isOwnable(table)) return sql`${table.orgId} = ${caller.orgId}`
  const isOwn = sql`(${table.ownerEmail} = ${caller.email} and (${table.orgId} is null or ${table.orgId} = ${caller.orgId}))`
  const enough = sql.join(
    SHARE_ROLES.slice(SHARE_ROLES.indexOf(role)).map(name => sql.raw(`'${name}'`)),
    sql`, `,
  )
  const isShared = sql`(${table.orgId} = ${caller.orgId} and ${table.id} in (select resource_id from shares
    where user_id = ${caller.userId} and resource = ${getTableName(table)} and role in (${enough})))`
  const opening = OPENING[role]
  if (opening === null) return sql`(${isOwn} or ${isShared})`
  return sql`(${isOwn} or ${isShared} or (${table.orgId} = ${caller.orgId} and ${table.visibility} ${sql.raw(opening)}))`
}

// What every member of the organization may do with a row follows from its visibility; sharing and deleting never does.
const OPENING = { viewer: `in ('org', 'org-edit')`, editor: `= 'org-edit'`, admin: null } as const

/** Whether all members of the row's organization may read it, as a column: 0 or 1. */
export const isOpenRow = (table: SharedTable): SQL<number> =>
  isOwnable(table) ? sql<number>`${table.visibility} in ('org', 'org-edit')` : sql<number>`1`

/** What the caller may do with a row that `accessibleTo` has found: `owner`, or the largest role that a share or its visibility gives. */
export function accessOf(table: OwnableTable, caller: Caller): SQL<'owner' | ShareRole> {
  return sql`case when ${table.ownerEmail} = ${caller.email} then 'owner' else coalesce((select role from shares
    where resource = ${getTableName(table)} and resource_id = ${table.id} and user_id = ${caller.userId} and role <> 'viewer'),
    case ${table.visibility} when 'org-edit' then 'editor' else 'viewer' end) end`
}

interface Share {
  userId: string
  email: string
  name: string
  image: string | null
  role: ShareRole
}

/** Throws `not-found` for a row the person cannot see, and `forbidden` for one they may not use with this role. */
async function requireAccess(
  db: Orm,
  table: OwnableTable,
  session: Session,
  id: string,
  role: ShareRole,
): Promise<void> {
  const [row] = await db
    .select({ isEnough: sql<number>`${accessibleTo(table, session, role)}` })
    .from(table)
    .where(and(eq(table.id, id), accessibleTo(table, session)))
  if (!row) throw new AppError('not-found')
  if (row.isEnough !== 1) throw new AppError('forbidden', { detail: `This needs the role ${role} on this item.` })
}

/** Lets another member of the row's organization use it; sharing again changes the role. Throws `not-found`, `forbidden`, `no-organization`. */
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
    where ${table.id} = ${id} and u.email = ${email} and u.email <> ${table.ownerEmail} and ${accessibleTo(table, session, 'admin')}
    on conflict (resource, resource_id, user_id) do update set role = excluded.role, shared_by = excluded.shared_by, shared_at = excluded.shared_at
    returning 1 as found`)
  if (written.length > 0) return
  const [row] = await db.select({ orgId: table.orgId, owner: table.ownerEmail }).from(table).where(eq(table.id, id))
  if (!row?.orgId) throw new AppError('no-organization', { detail: 'This was made outside of an organization.' })
  if (row.owner === email) throw new AppError('conflict', { detail: 'This belongs to that person.' })
  throw new AppError('not-found', { detail: 'Nobody with this address is a member of the organization.' })
}

/** Takes back what was shared with a person; taking it back twice is the same as once. People may also give up their own share. */
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

/** Shows a row to the whole organization, to read or also to change, or to its owner only and those it is shared with. Throws `not-found`, `forbidden`, `no-organization`. */
export async function setVisibility(
  db: Orm,
  table: OwnableTable,
  session: Session,
  { id, visibility }: { id: string; visibility: Visibility },
): Promise<void> {
  await requireAccess(db, table, session, id, 'admin')
  const changed = await db.all(sql`update ${table} set visibility = ${visibility} where id = ${id}
    and (${visibility} = 'private' or org_id is not null) and ${accessibleTo(table, session, 'admin')} returning 1 as found`)
  if (changed.length === 0)
    throw new AppError('no-organization', { detail: 'This was made outside of an organization.' })
}

/** With whom a row is shared, for those who may share it. */
export async function listShares(db: Orm, table: OwnableTable, session: Session, id: string): Promise<Share[]> {
  await requireAccess(db, table, session, id, 'admin')
  return db.all<Share>(sql`select u.id as userId, u.email as email, u.name as name, u.image as image, ${shares.role} as role from ${shares}
    ${sql.raw(personJoin('shares.user_id'))} where ${shares.resource} = ${getTableName(table)} and ${shares.resourceId} = ${id}
    order by u.email`)
}

/** The statement that takes back shares of rows of a table; the condition may name the shared row (`shares.resource_id`) and whom it is shared with (`shares.user_id`). */
export const forgetSharesSql = (table: string, condition: string): string =>
  `delete from shares where resource = '${table.replaceAll("'", "''")}' and ${condition}`

/** What a person was given of a row that is not theirs; null for nothing. */
export async function findShare(app: App, table: string, id: string, userId: string): Promise<ShareRole | null> {
  const [row] = await app.db.orm
    .select({ role: shares.role })
    .from(shares)
    .where(and(eq(shares.resource, table), eq(shares.resourceId, id), eq(shares.userId, userId)))
  return row?.role ?? null
}
