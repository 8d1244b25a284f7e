// Teams that follow groups of the directory. Nobody edits their people by hand.
import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import type { TeamPlan } from '#fairway/shared/schemas/directory'
import { GIVEN_BY_DIRECTORY } from '../app-roles'
import { holdersOfTeam, removeTeams } from './delete-team'
import { endTeamRoles } from '../roles/assignments'

/** The groups of a directory that are teams, and who is in them. */
export interface GroupTeams {
  groups: readonly { id: string; name: string }[]
  people: readonly { group: string; userId: string }[]
  /** The people whose teams are compared; undefined for all. */
  of?: readonly string[]
}

/** What the directory has changed about one team. */
export interface ChangedGroupTeam {
  name: string
  added?: string[]
  removed?: string[]
  isDeleted?: true
}

interface Stored {
  id: string
  name: string
  groupId: string
}

async function storedTeams(on: Runs, orgId: string): Promise<Stored[]> {
  const { rows } = await on.execute({
    sql: 'select id, name, group_id as groupId from fw_teams where org_id = ? and group_id is not null order by name_key',
    args: [orgId],
  })
  return rows as unknown as Stored[]
}

/** Which teams would come and go with these groups, and what those that go hold. */
export async function planGroupTeams(on: Runs, orgId: string, { groups, people }: GroupTeams): Promise<TeamPlan> {
  const stored = await storedTeams(on, orgId)
  const added = groups
    .filter(({ id }) => !stored.some(({ groupId }) => groupId === id))
    .map(({ id, name }) => ({ name, people: people.filter(({ group }) => group === id).length }))
  const ended = stored.filter(({ groupId }) => !groups.some(({ id }) => id === groupId))
  const deleted = []
  for (const { id, name } of ended) {
    const { total, shared, rows } = await holdersOfTeam(on, orgId, id)
    const items = [...shared, ...rows].reduce((sum, each) => sum + each.rows, 0)
    deleted.push({ name, people: total, items })
  }
  return { added, deleted }
}

/** The names of these that a team has which owners and admins edit. */
export async function takenNames(on: Runs, orgId: string, names: readonly string[]): Promise<Set<string>> {
  const { rows } = await on.execute({
    sql: `select name_key as key from fw_teams where org_id = ? and group_id is null and name_key in (select value from json_each(?))`,
    args: [orgId, JSON.stringify(names.map(name => name.toLowerCase()))],
  })
  return new Set(rows.map(({ key }) => String(key)))
}

/** Makes the teams of an organization follow its groups, within a transaction. Returns what changed. */
export async function followGroups(app: App, on: Runs, orgId: string, wanted: GroupTeams): Promise<ChangedGroupTeam[]> {
  const stored = await storedTeams(on, orgId)
  if (stored.length === 0 && wanted.groups.length === 0) return []
  const ended = stored.filter(({ groupId }) => !wanted.groups.some(({ id }) => id === groupId))
  await removeTeams(
    on,
    orgId,
    ended.map(({ id }) => id),
  )
  const now = app.now().getTime()
  const named = wanted.groups.map(({ id, name }) => ({ id: newId(), group: id, name, key: name.toLowerCase() }))
  await on.execute({
    sql: `insert into fw_teams (id, org_id, name, name_key, group_id, created_by, created_at)
      select value ->> 'id', ?, value ->> 'name', value ->> 'key', value ->> 'group', '${GIVEN_BY_DIRECTORY}', ? from json_each(?)
      where true on conflict (group_id) where group_id is not null
      do update set name = excluded.name, name_key = excluded.name_key where name <> excluded.name`,
    args: [orgId, now, JSON.stringify(named)],
  })
  const changes = await followPeople(on, orgId, wanted, now)
  return [...ended.map(({ name }) => ({ name, isDeleted: true as const })), ...changes]
}

// The people of the groups who are members of the organization, with the team of their group.
const WANTED = `select t.id as team_id, m.user_id from json_each(?) j
  join fw_teams t on t.group_id = j.value ->> 'group' and t.org_id = ?
  join org_members m on m.org_id = t.org_id and m.user_id = j.value ->> 'userId'`

async function followPeople(on: Runs, orgId: string, { people, of }: GroupTeams, now: number) {
  const wanted = [JSON.stringify(people), orgId]
  const which = of ? 'and user_id in (select value from json_each(?))' : ''
  const removed = await on.execute({
    sql: `delete from fw_team_members where org_id = ? and team_id in (
        select id from fw_teams where org_id = ? and group_id is not null) ${which}
      and (team_id, user_id) not in (${WANTED}) returning team_id as team, user_id as userId`,
    args: [orgId, orgId, ...(of ? [JSON.stringify(of)] : []), ...wanted],
  })
  const added = await on.execute({
    sql: `insert into fw_team_members (org_id, team_id, user_id, added_by, added_at)
      select ?, team_id, user_id, '${GIVEN_BY_DIRECTORY}', ? from (${WANTED}) where true on conflict do nothing
      returning team_id as team, user_id as userId`,
    args: [orgId, now, ...wanted],
  })
  if (removed.rows.length > 0) await on.execute(endTeamRoles(orgId))
  const changes = [
    ...added.rows.map(row => ({ ...row, isAdded: 1 })),
    ...removed.rows.map(row => ({ ...row, isAdded: 0 })),
  ]
  if (changes.length === 0) return []
  const { rows } = await on.execute({
    sql: `select t.name, j.value ->> 'isAdded' as isAdded, u.email from json_each(?) j
      join fw_teams t on t.id = j.value ->> 'team' ${personJoin(`j.value ->> 'userId'`)} order by t.name_key, u.email`,
    args: [JSON.stringify(changes)],
  })
  return [...Map.groupBy(rows, ({ name }) => String(name))].map(([name, ofTeam]) => {
    const emails = (isAdded: number) => ofTeam.filter(row => row.isAdded === isAdded).map(({ email }) => String(email))
    return { name, added: emails(1), removed: emails(0) }
  })
}
