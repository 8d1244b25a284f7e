// Groups of the directory that an organization uses as teams.
import { recordWithin } from '#fairway/server/domains/actions'
import {
  type ChangedGroupTeam,
  followGroups,
  type GroupTeams,
  planGroupTeams,
  takenNames,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError } from '#fairway/server/kernel/http/field-errors'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import type { MappedGroup, TeamPlan } from '#fairway/shared/schemas/directory'

/** The groups that a mapping makes teams, with their active people: all, or those that the directory knows by these IDs. */
async function teamsIn(
  on: Runs,
  orgId: string,
  mapping: readonly MappedGroup[],
  people?: readonly string[],
): Promise<GroupTeams> {
  const ids = JSON.stringify(mapping.filter(({ isTeam }) => isTeam).map(({ group }) => group))
  const groups = await on.execute({
    sql: `select id, display_name as name from fw_directory_groups where org_id = ? and id in (select value from json_each(?))`,
    args: [orgId, ids],
  })
  const accounts = people
    ? await on.execute({
        sql: 'select distinct user_id as userId from fw_directory_people where id in (select value from json_each(?)) and user_id is not null',
        args: [JSON.stringify(people)],
      })
    : undefined
  const of = accounts?.rows.map(({ userId }) => String(userId))
  const pairs = await on.execute({
    sql: `select distinct g.group_id as "group", p.user_id as userId from fw_directory_people p
      join fw_directory_group_members g on g.person_id = p.id and g.group_id in (select value from json_each(?))
      where p.org_id = ? and p.active = 1 and p.user_id is not null ${of ? 'and p.user_id in (select value from json_each(?))' : ''}`,
    args: [ids, orgId, ...(of ? [JSON.stringify(of)] : [])],
  })
  return {
    groups: groups.rows as unknown as GroupTeams['groups'],
    people: pairs.rows as unknown as GroupTeams['people'],
    ...(of && { of }),
  }
}

/** The teams that a mapping would add and delete. */
export const planTeams = async (on: Runs, orgId: string, mapping: readonly MappedGroup[]): Promise<TeamPlan> =>
  planGroupTeams(on, orgId, await teamsIn(on, orgId, mapping))

/** Makes the teams follow the groups, for these people of the directory or for all. Returns what `tellTeams` needs. */
export const followTeams = async (
  app: App,
  on: Runs,
  orgId: string,
  mapping: readonly MappedGroup[],
  people?: readonly string[],
): Promise<ChangedGroupTeam[]> => followGroups(app, on, orgId, await teamsIn(on, orgId, mapping, people))

/** Throws `invalid-input` for a group with the name of a team that owners and admins edit. */
export async function checkTeamNames(on: Runs, orgId: string, mapping: readonly MappedGroup[]): Promise<void> {
  const { groups } = await teamsIn(on, orgId, mapping, [])
  const taken = await takenNames(
    on,
    orgId,
    groups.map(({ name }) => name),
  )
  const isTaken = ({ group, isTeam }: MappedGroup) =>
    isTeam && taken.has(groups.find(({ id }) => id === group)?.name.toLowerCase() ?? '')
  const errors = mapping.flatMap((entry, index) =>
    isTaken(entry) ? [fieldError(`mapping.${index}.isTeam`, 'name-taken')] : [],
  )
  if (errors.length > 0) throw new AppError('invalid-input', { errors })
}

/** Writes an audit row for each changed team. It names the directory, and no person as the one who did it. */
export async function tellTeams(app: App, orgId: string, changes: readonly ChangedGroupTeam[]): Promise<void> {
  if (changes.length > 0)
    await recordWithin(app, app.db.orm, {
      action: 'directory-team',
      caller: 'http',
      orgId,
      input: changes.map(change => ({ ...change })),
    })
}
