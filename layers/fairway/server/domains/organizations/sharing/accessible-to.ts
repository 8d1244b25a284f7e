import { getTableName, type Placeholder, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'

/** What somebody may do with a row: read it, change it, or also share and delete it. The owner may all. */
export const SHARE_ROLES = ['viewer', 'editor', 'admin'] as const
export type ShareRole = (typeof SHARE_ROLES)[number]

/** A table that has `ownableColumns()` and an `id`. */
export type OwnableTable = SQLiteTable & {
  id: SQLiteColumn
  ownerEmail: SQLiteColumn
  orgId: SQLiteColumn
  visibility: SQLiteColumn
}

/** Whose access is meant: a session, or `callerPlaceholders` in a prepared query. */
export type Caller =
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

/** The owner and the organization of a new row; throws `unauthenticated` when there is nobody: no row belongs to a stand-in. */
export function ownedBy(session: Pick<Session, 'email' | 'orgId'> | null): {
  ownerEmail: string
  orgId: string | null
} {
  if (!session) throw new AppError('unauthenticated')
  return { ownerEmail: session.email, orgId: session.orgId }
}

/**
 * The one condition behind lists and single rows: what the caller may use with at least this role. Rows of other
 * organizations never match; neither the organization role nor an app role opens anything here.
 */
export function accessibleTo(table: OwnableTable, caller: Caller, role: ShareRole = 'viewer'): SQL {
  const isOwn = sql`(${table.ownerEmail} = ${caller.email} and (${table.orgId} is null or ${table.orgId} = ${caller.orgId}))`
  const enough = sql.join(
    SHARE_ROLES.slice(SHARE_ROLES.indexOf(role)).map(name => sql.raw(`'${name}'`)),
    sql`, `,
  )
  const isShared = sql`(${table.orgId} = ${caller.orgId} and ${table.id} in (select resource_id from shares
    where user_id = ${caller.userId} and resource = ${getTableName(table)} and role in (${enough})))`
  const isPublished = sql`(${table.orgId} = ${caller.orgId} and ${table.visibility} = 'org')`
  return role === 'viewer' ? sql`(${isOwn} or ${isShared} or ${isPublished})` : sql`(${isOwn} or ${isShared})`
}

/** What the caller may do with a row that `accessibleTo` has found: `owner`, or the largest role that was given. */
export function accessOf(table: OwnableTable, caller: Caller): SQL<'owner' | ShareRole> {
  return sql`case when ${table.ownerEmail} = ${caller.email} then 'owner' else coalesce((select role from shares
    where resource = ${getTableName(table)} and resource_id = ${table.id} and user_id = ${caller.userId}), 'viewer') end`
}
