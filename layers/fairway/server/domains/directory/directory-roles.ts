// The table that gives roles to groups and makes them teams, and what follows from it for people.
import { recordWithin } from '#fairway/server/domains/actions'
import {
  type Actor,
  carriedBy,
  type ChangedGroupTeam,
  checkAppRole,
  checkGrants,
  directoryRoleStatements,
  type PlannedRole,
  planDirectoryRoles,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import type { DirectoryMapping, MappedGroup, MappingPlan } from '#fairway/shared/schemas/directory'
import { checkTeamNames, followTeams, planTeams, tellTeams } from './directory-teams'

/** The changes that a plan names; it counts all. */
const MOST_SHOWN = 200

/** What has followed from a change: for the roles of people, and for teams. */
export interface Followed {
  roles: readonly PlannedRole[]
  teams: readonly ChangedGroupTeam[]
}

/** The groups of a directory, the roles that they give, and which of them are teams. */
export async function getMapping(app: App, orgId: string): Promise<DirectoryMapping> {
  const groups = await app.db.prepareRead<DirectoryMapping['groups'][number]>(
    `select id, display_name as name, (select count(*) from fw_directory_group_members m where m.group_id = g.id) as people
     from fw_directory_groups g where org_id = ? order by display_name_key`,
  )([orgId])
  const mapping = (await readMapping(app.db.client, orgId)).map(entry => {
    return { ...entry, name: groups.find(({ id }) => id === entry.group)?.name ?? '' }
  })
  const { appRoles } = app.config
  return { groups, mapping, appRoles: appRoles && { appId: appRoles.appId, roles: [...appRoles.roles] } }
}

async function readMapping(on: Runs, orgId: string): Promise<MappedGroup[]> {
  const { rows } = await on.execute({
    sql: `select group_id as "group", org_role as orgRole, app_id as appId, role, is_team as isTeam from fw_directory_mapping
      where org_id = ? order by position`,
    args: [orgId],
  })
  return rows.map(row => ({ ...row, isTeam: row.isTeam === 1 })) as unknown as MappedGroup[]
}

/** The changes of roles and teams by a mapping, without making them. Throws like `setMapping`. */
export async function planMapping(app: App, actor: Actor, wanted: readonly MappedGroup[]): Promise<MappingPlan> {
  const { orgId } = actor
  await checkCarried(app, actor, wanted)
  const on = app.db.client
  const mapping = await checkMapping(app, on, orgId, wanted)
  const teams = await planTeams(on, orgId, mapping)
  return { ...toPlan(await planRoles(app, on, orgId, mapping)), teams }
}

/** Replaces the mapping; roles and teams change at once. Throws `invalid-input`, `unknown-app` and `unknown-role`. */
export async function setMapping(app: App, actor: Actor, wanted: readonly MappedGroup[]): Promise<MappingPlan> {
  const { orgId } = actor
  await checkCarried(app, actor, wanted)
  const { teams, ...followed } = await inTransaction(app, async on => {
    const mapping = await checkMapping(app, on, orgId, wanted)
    const planned = await planTeams(on, orgId, mapping)
    await on.execute({ sql: 'delete from fw_directory_mapping where org_id = ?', args: [orgId] })
    await on.execute({
      sql: `insert into fw_directory_mapping (org_id, group_id, position, org_role, app_id, role, is_team)
        select ?, value ->> 'group', key, value ->> 'orgRole', value ->> 'appId', value ->> 'role', value ->> 'isTeam'
        from json_each(?)`,
      args: [orgId, JSON.stringify(mapping)],
    })
    const roles = await changeRoles(app, on, orgId, await planRoles(app, on, orgId, mapping))
    return { roles, changed: await followTeams(app, on, orgId, mapping), teams: planned }
  })
  await tellFollowed(app, orgId, { roles: followed.roles, teams: followed.changed })
  return { ...toPlan(followed.roles), teams }
}

/** Throws `forbidden` for a role with a permission that the actor lacks. */
const checkCarried = (app: App, actor: Actor, wanted: readonly MappedGroup[]): Promise<void> =>
  checkGrants(
    app,
    actor,
    wanted.flatMap(({ role }) => (role === null ? [] : carriedBy(app, role))),
  )

/** The mapping with the application of each role. */
async function checkMapping(app: App, on: Runs, orgId: string, wanted: readonly MappedGroup[]): Promise<MappedGroup[]> {
  const { rows } = await on.execute({ sql: 'select id from fw_directory_groups where org_id = ?', args: [orgId] })
  const known = new Set(rows.map(({ id }) => id))
  const errors = wanted.flatMap(({ group }, index) =>
    // A group counts once.
    known.delete(group)
      ? []
      : [{ path: `mapping.${index}.group`, message: 'There is no such group, or it is twice here.' }],
  )
  if (errors.length > 0) throw new AppError('invalid-input', { errors })
  await checkTeamNames(on, orgId, wanted)
  return wanted.map(({ role, appId, ...entry }) => {
    if (role !== null) checkAppRole(app, role, appId ?? undefined)
    return { ...entry, role, appId: role === null ? null : (app.config.appRoles?.appId ?? null) }
  })
}

const toPlan = (changes: readonly PlannedRole[]): Omit<MappingPlan, 'teams'> => ({
  total: changes.length,
  changes: changes.slice(0, MOST_SHOWN).map(({ userId: _id, ...change }) => change),
})

/**
 * Gives and takes the roles and teams of these people of a directory, after their groups have changed. Teams follow the names of
 * groups, and end with them. Returns what `tellFollowed` needs.
 */
export async function followMapping(app: App, on: Runs, orgId: string, people: readonly string[]): Promise<Followed> {
  const mapping = await readMapping(on, orgId)
  const teams = await followTeams(app, on, orgId, mapping, people)
  if (people.length === 0) return { roles: [], teams }
  return { roles: await changeRoles(app, on, orgId, await planRoles(app, on, orgId, mapping, people)), teams }
}

/** Takes all roles that a directory gave and deletes its teams, before it ends. */
export const endMapping = async (app: App, on: Runs, orgId: string): Promise<Followed> => ({
  roles: await changeRoles(app, on, orgId, await planRoles(app, on, orgId, [])),
  teams: await followTeams(app, on, orgId, []),
})

async function changeRoles(app: App, on: Runs, orgId: string, changes: readonly PlannedRole[]) {
  if (changes.length > 0)
    for (const statement of directoryRoleStatements(app, orgId, changes)) await on.execute(statement)
  return changes
}

/** Writes the audit rows of what followed. They name the directory, and no person as the one who did it. */
export async function tellFollowed(app: App, orgId: string, { roles, teams }: Followed): Promise<void> {
  const input = roles.map(({ person: { email }, appId, after }) => ({
    email,
    role: after,
    ...(appId === null ? {} : { appId }),
  }))
  if (input.length > 0) await recordWithin(app, app.db.orm, { action: 'directory-role', caller: 'http', orgId, input })
  await tellTeams(app, orgId, teams)
}

const THESE_PEOPLE =
  'and p.user_id in (select x.user_id from fw_directory_people x join json_each(?) y on y.value = x.id)'

/** The changes of roles by a mapping, for these people of the directory or for all. */
async function planRoles(
  app: App,
  on: Runs,
  orgId: string,
  mapping: readonly MappedGroup[],
  people?: readonly string[],
): Promise<PlannedRole[]> {
  const { appRoles } = app.config
  const isDeclared = ({ appId, role }: MappedGroup) =>
    role !== null && appId === appRoles?.appId && appRoles.roles.includes(role)
  const counted = mapping.map(entry => ({ ...entry, role: isDeclared(entry) ? entry.role : null }))
  const { rows } = await on.execute({
    // The same account may be two people of a directory.
    sql: `with mapping as materialized (select key as position, value ->> 'group' as groupId, value ->> 'orgRole' as orgRole,
        value ->> 'role' as role from json_each(?))
      select p.user_id as userId, max(j.orgRole = 'admin') as isAdmin,
        min(case when j.role is not null then j.position end) as appRoleAt
      from fw_directory_people p left join fw_directory_group_members m on m.person_id = p.id
      left join mapping j on j.groupId = m.group_id
      where p.org_id = ? and p.active = 1 and p.user_id is not null ${people ? THESE_PEOPLE : ''} group by p.user_id`,
    args: [JSON.stringify(counted), orgId, ...(people ? [JSON.stringify(people)] : [])],
  })
  const wanted = rows.map(({ userId, isAdmin, appRoleAt }) => ({
    userId: String(userId),
    orgRole: isAdmin === 1 ? ('admin' as const) : null,
    appRole: appRoleAt === null ? null : (counted[Number(appRoleAt)]?.role ?? null),
  }))
  return planDirectoryRoles(app, on, orgId, wanted)
}
