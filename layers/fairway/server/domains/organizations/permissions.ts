// Who holds a permission of the application: owners and admins hold all. Others hold what their roles carry: those that owners make
// (`roles`), and those of the application (`defineAppRoles`).
import { type SQL, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { App } from '#fairway/server/kernel/app-context'
import { findRun, requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { checkPermission } from '#fairway/server/kernel/permissions'
import type { Session } from '#fairway/shared/schemas/session'
import { type GuardContext, type InOrganization, type Proving, requireOrganization } from './guards'
import type { Actor } from './org-context'
import { principalOf, SERVICE_ACCOUNTS, SERVICE_ROLE, teamsOf } from './service-accounts/principal'

type Value = string | null | SQL | { name: string }

/** Whom `holds` is about: a member or a service account by its ID, and the application's roles with what they carry. */
export interface Holder {
  orgId: Value
  id: Value
  appId: Value
  /** The result of `carriedIn`. */
  carried: Value
}

/** The permissions that the application's roles carry, as `holds` compares them: JSON pairs of role and permission. */
const carriedIn = ({ config, memo }: App): string =>
  memo('carried-permissions', () =>
    JSON.stringify(
      Object.entries(config.appRoles?.permissions ?? {}).flatMap(([role, names]) => names.map(name => [role, name])),
    ),
  )

/** The same of the application of this run; none outside of one. */
export function carriedInRun(): string {
  const { app } = findRun() ?? {}
  return app ? carriedIn(app) : '[]'
}

/** A member or a service account of an organization, for `holds`. */
export const holderIn = (app: App, who: Pick<Holder, 'orgId' | 'id'>): Holder => ({
  ...who,
  appId: app.config.appRoles?.appId ?? '',
  carried: carriedIn(app),
})

/** The permissions that a role of the application carries. */
export const carriedBy = ({ config }: App, role: string): readonly string[] => config.appRoles?.permissions[role] ?? []

/**
 * The condition that a member, or a service account, holds a permission in an organization. The same statement asks for the
 * membership, so a row of a former member grants nothing. `without` leaves out one role, to tell what its loss changes.
 */
export function holds({ orgId, id, appId, carried }: Holder, name: string | SQL, without = ''): SQL {
  const carries = (role: SQL) => sql`exists (select 1 from json_each(${carried}) carried
    where carried.value ->> 0 = ${role} and carried.value ->> 1 = ${name})`
  const isGiven = sql`exists (select 1 from fw_org_role_members given
    join fw_org_roles made on made.id = given.role_id and made.org_id = given.org_id and made.id <> ${without}
    join json_each(made.permissions) kept on kept.value = ${name}
    where given.org_id = ${orgId} and given.user_id = ${id} and given.team_id = '')`
  const ofPerson = sql`exists (select 1 from org_members m where m.org_id = ${orgId} and m.user_id = ${id}
    and (m.role in ('owner', 'admin') or ${isGiven} or exists (select 1 from app_member_roles assigned
      where assigned.org_id = m.org_id and assigned.user_id = m.user_id and assigned.app_id = ${appId}
      and ${carries(sql`assigned.role`)})))`
  const ofAccount = sql`exists (select 1 from ${sql.raw(SERVICE_ACCOUNTS)} where a.id = ${id} and a.org_id = ${orgId}
    and (${sql.raw(SERVICE_ROLE)} = 'admin' or ${isGiven} or exists (select 1 from json_each(a.app_roles) assigned
      where assigned.key = ${appId} and ${carries(sql`assigned.value`)})))`
  return sql`(${ofPerson} or ${ofAccount})`
}

/** The roles that a holder has for teams whose people they are among. `without` leaves out one role. */
const givenForTeams = ({ orgId, id }: Pick<Holder, 'orgId' | 'id'>, without = ''): SQL => sql`fw_org_role_members given
  join fw_org_roles made on made.id = given.role_id and made.org_id = given.org_id and made.id <> ${without}
  join json_each(made.permissions) kept
  where given.user_id = ${id} and given.org_id = ${orgId} and given.team_id in (${teamsOf(orgId, id)})`

/** A select of the teams for whose rows a holder has a permission, by roles for one team. */
export const teamsWith = (holder: Pick<Holder, 'orgId' | 'id'>, name: string | SQL, without = ''): SQL =>
  sql`select given.team_id from ${givenForTeams(holder, without)} and kept.value = ${name}`

/** Those of these permissions that a holder has for teams, as JSON: pairs of permission and team. */
export const heldForTeams = (holder: Pick<Holder, 'orgId' | 'id'>, names: readonly string[]): SQL =>
  sql`(select json_group_array(json_array(kept.value, given.team_id)) from ${givenForTeams(holder)}
    and kept.value in (select value from json_each(${JSON.stringify(names)})))`

/** Those of these permissions that a holder has, as JSON. */
export const heldAmong = (holder: Holder, names: readonly string[]): SQL =>
  sql`(select json_group_array(wanted.value) from json_each(${JSON.stringify(names)}) wanted
    where ${holds(holder, sql`wanted.value`)})`

const dialect = new SQLiteSyncDialect()

/** Reads with a statement of the query builder. */
export function readSql<Row extends object>({ db }: App, query: SQL): Promise<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return db.prepareRead<Row>(text)(params as string[])
}

/** Returns those of these permissions that are declared and held now; all declared ones by default. */
export async function listHeld(
  app: App,
  { orgId, id }: { orgId: string | null; id: string },
  names: readonly string[] = app.config.permissions.names,
): Promise<string[]> {
  const declared = declaredAmong(app, names)
  if (orgId === null || declared.length === 0) return []
  const held = heldAmong(holderIn(app, { orgId, id }), declared)
  const [row] = await readSql<{ held: string }>(app, sql`select ${held} as held`)
  return JSON.parse(row?.held ?? '[]')
}

const declaredAmong = ({ config }: App, names: readonly string[]): string[] =>
  names.filter(name => config.permissions.names.includes(name))

/** What a guard requires of a permission that suffices for one team. No name of a permission has this form. */
export const forOneTeam = (name: string): string => `${name}@team`

/**
 * Returns what a session meets of the requirements of guards for these permissions: the names of those that it holds, and
 * `forOneTeam` of those that it holds for all rows or for a team.
 */
export async function listMet(
  app: App,
  session: Pick<Session, 'userId' | 'email' | 'orgId' | 'serviceAccount'>,
  names: readonly string[] = app.config.permissions.names,
): Promise<string[]> {
  const declared = declaredAmong(app, names)
  if (session.orgId === null || declared.length === 0) return []
  const holder = holderIn(app, { orgId: session.orgId, id: principalOf(session).userId })
  const [row] = await readSql<{ held: string; ofTeams: string }>(
    app,
    sql`select ${heldAmong(holder, declared)} as held, ${heldForTeams(holder, declared)} as ofTeams`,
  )
  const held = JSON.parse(row?.held ?? '[]') as string[]
  const ofTeams = JSON.parse(row?.ofTeams ?? '[]') as [name: string, team: string][]
  return [...held, ...new Set([...held, ...ofTeams.map(([name]) => name)].map(forOneTeam))]
}

/** Throws `forbidden` with the permissions that the actor lacks: nobody grants what they lack. */
export async function checkGrants(app: App, { orgId, userId }: Actor, names: readonly string[]): Promise<void> {
  const held = await listHeld(app, { orgId, id: userId }, names)
  const lacking = declaredAmong(app, names).filter(name => !held.includes(name))
  if (lacking.length > 0)
    throw new AppError('forbidden', { detail: `You do not have this permission yourself: ${lacking.join(', ')}.` })
}

type PermissionGuard = ((context: GuardContext) => Promise<true>) &
  Proving<InOrganization> & {
    /** The required permissions, for catalogs. */
    readonly permissions: readonly string[]
    /** What is required of them: the name, or `forOneTeam` of it. */
    readonly needs: readonly string[]
  }

/**
 * A guard that requires a permission (`definePermissions`) in the organization. With `forTeam`, holding it for one team suffices:
 * the policy of the table then decides about the row. It throws `forbidden` (403) with the permission, and the errors of
 * `requireOrganization`. Throws at load for an undeclared permission, with the names there are.
 */
export function requirePermission(name: string, { forTeam = false }: { forTeam?: boolean } = {}): PermissionGuard {
  const permissions = Object.freeze([checkPermission('requirePermission', name)])
  const needs = Object.freeze([forTeam ? forOneTeam(name) : name])
  const isMember = requireOrganization()
  const guard = async ({ session, orgId }: GuardContext): Promise<true> => {
    isMember({ session, orgId })
    const { app } = requireRun()
    const met = session ? await listMet(app, { ...session, orgId }, permissions) : []
    if (needs.every(each => met.includes(each))) return true
    const text = app.config.permissions.texts[name]
    throw new AppError('forbidden', {
      detail: `This requires the permission ${name}${text ? ` (${text})` : ''}. An owner or admin can give you a role with it.`,
      extra: { permission: name },
    })
  }
  return Object.assign(guard, { permissions, needs })
}
