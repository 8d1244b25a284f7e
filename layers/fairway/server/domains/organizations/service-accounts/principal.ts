// Whom the conditions on rows compare: a person, or a service account. An account has roles and shares by its own ID. The rows of
// its owner of record are its own only where that person made its credential.
import { sql, type SQL } from 'drizzle-orm'
import { findRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'

type Mark = Session['serviceAccount']
type Named = Pick<Session, 'email' | 'userId' | 'serviceAccount'>

/** What a condition compares: IDs of roles and shares, and the address in columns of people. */
export interface Principal {
  userId: string
  email: string
  isPerson: boolean
}

/**
 * The service account that acts in the name of this person. The run is asked too, because an author's code may pass on the
 * person without the mark.
 */
function accountOf({ userId, serviceAccount }: Pick<Named, 'userId' | 'serviceAccount'>): Mark {
  const { session } = findRun() ?? {}
  const ofRun = typeof session === 'function' ? undefined : session
  return serviceAccount ?? (ofRun?.userId === userId ? ofRun.serviceAccount : undefined)
}

/** Who acts: the service account of a session, else its person. */
export function principalOf(person: Named): Principal {
  const account = accountOf(person)
  if (!account) return { userId: person.userId, email: person.email, isPerson: true }
  // No column of people has the ID of an account.
  return { userId: account.id, email: account.isOwners ? person.email : account.id, isPerson: false }
}

/** The ID of the service account that acts in this run in the name of the person with this address; undefined for people. */
export function accountOfRun(email: string | null | undefined): string | undefined {
  const { session } = findRun() ?? {}
  if (!session || typeof session === 'function' || session.email !== email) return undefined
  return session.serviceAccount?.id
}

/** The role of a service account (`a`), which is never above that of its owner of record (`m`). */
export const SERVICE_ROLE = `case when a.role = 'admin' and m.role in ('owner', 'admin') then 'admin' else 'member' end`

/** The service accounts (`a`) whose owner of record is a member (`m`). */
export const SERVICE_ACCOUNTS = `fw_service_accounts a join org_members m on m.org_id = a.org_id and m.user_id = a.owner_id
  and a.deleted_at is null`

type Value = string | null | SQL | { name: string }

/** The role in an organization of a member, or of a service account with this ID; null for others. */
export const orgRoleOf = (orgId: Value, id: Value): SQL => sql`coalesce(
  (select role.role from org_members role where role.org_id = ${orgId} and role.user_id = ${id}),
  (select ${sql.raw(SERVICE_ROLE)} from ${sql.raw(SERVICE_ACCOUNTS)} where a.id = ${id} and a.org_id = ${orgId}))`

/**
 * A select of the teams of a member, or of a service account with this ID. A row of a former member finds nothing, because the
 * membership of the organization is part of the statement.
 */
export const teamsOf = (orgId: Value, id: Value): SQL => sql`select t.team_id from fw_team_members t
  where t.user_id = ${id} and t.org_id = ${orgId} and ${orgRoleOf(orgId, id)} is not null`

/** A select of whom shares name for a caller: the caller, and the caller's teams. */
export const holdersOf = (orgId: Value, id: Value): SQL => sql`select ${id} union all ${teamsOf(orgId, id)}`

/** The same in an application. Assignments of former members do not count. */
export const appRoleOf = (orgId: Value, id: Value, appId: Value): SQL => sql`coalesce(
  (select role.role from app_member_roles role join org_members m on m.org_id = role.org_id and m.user_id = role.user_id
    where role.org_id = ${orgId} and role.user_id = ${id} and role.app_id = ${appId}),
  (select assigned.value from ${sql.raw(SERVICE_ACCOUNTS)} join json_each(a.app_roles) assigned
    where a.id = ${id} and a.org_id = ${orgId} and assigned.key = ${appId}))`
