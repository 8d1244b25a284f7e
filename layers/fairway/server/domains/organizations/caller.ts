// Whose access the conditions on rows decide: the caller, as SQL that compares.
import { type Placeholder, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { findRun } from '#fairway/server/kernel/current-run'
import type { PersonKey } from '#fairway/server/kernel/dependent-rows'
import type { Session } from '#fairway/shared/schemas/session'
import { carriedInRun } from './permissions'
import { principalOf } from './service-accounts/principal'

/** The person whose access is checked: a session, or `callerPlaceholders` in a prepared query. */
export type Caller =
  | Pick<Session, 'email' | 'userId' | 'orgId' | 'serviceAccount'>
  | Readonly<Record<'email' | 'userId' | 'orgId' | 'appId' | 'carried' | 'isPerson', Placeholder>>
  // In each organization of theirs.
  | { email: string; userId: string; orgId: SQL }

/** The caller in a prepared query; the values come from `callerOf(session)`. */
export const callerPlaceholders = {
  email: sql.placeholder('callerEmail'),
  userId: sql.placeholder('callerUserId'),
  orgId: sql.placeholder('callerOrgId'),
  appId: sql.placeholder('callerAppId'),
  carried: sql.placeholder('callerCarried'),
  isPerson: sql.placeholder('callerIsPerson'),
} as const

/** A person as the caller for each row of a table: in its organization, while they are a member there. */
export const inEachOrganization = (table: { orgId: SQLiteColumn }, { email, userId }: PersonKey): Caller => ({
  email,
  userId,
  orgId: sql`(select m.org_id from org_members m where m.org_id = ${table.orgId} and m.user_id = ${userId})`,
})

/** The values of `callerPlaceholders`. */
export function callerOf(session: Pick<Session, 'email' | 'userId' | 'orgId' | 'serviceAccount'>): {
  callerEmail: string
  callerUserId: string
  callerOrgId: string | null
  callerAppId: string
  callerCarried: string
  callerIsPerson: number
} {
  const { email, userId, isPerson } = principalOf(session)
  return {
    callerEmail: email,
    callerUserId: userId,
    callerOrgId: session.orgId,
    callerAppId: appOfRun(),
    callerCarried: carriedInRun(),
    callerIsPerson: Number(isPerson),
  }
}

/** What conditions compare for a caller. */
export const keysOf = (caller: Caller) => {
  if ('appId' in caller) return { ...caller, isPerson: sql`${caller.isPerson} = 1` }
  if (typeof caller.orgId === 'object' && caller.orgId !== null)
    return { ...caller, appId: appOfRun(), carried: carriedInRun(), isPerson: sql`1` }
  const { isPerson, ...keys } = principalOf(caller as Session)
  const isPersonal = isPerson ? sql`1` : sql`0`
  return { ...keys, orgId: caller.orgId, appId: appOfRun(), carried: carriedInRun(), isPerson: isPersonal }
}

/** The application whose roles count: that of the request or action. Outside of both, there are no app roles. */
export const appOfRun = (): string => findRun()?.app.config.appRoles?.appId ?? ''
