// Who holds the roles of an organization, and who loses what when a role changes.
import { type SQL, sql } from 'drizzle-orm'
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { withValues } from '#fairway/server/kernel/database/orm'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { RoleHolder, RolePlan } from '#fairway/shared/schemas/organization-role'
import { requireMember } from '../members'
import { type Actor, managesSql } from '../org-context'
import { checkGrants, holderIn, holds, readSql, teamsWith } from '../permissions'
import { requireServiceAccount } from '../service-accounts/accounts'

const MOST_HOLDERS = 100
const MOST_LOSSES = 200

/** A stored role; `permissions` is JSON. */
export interface RoleRow {
  id: string
  name: string
  permissions: string
}

interface HolderRow {
  roleId: string
  userId: string
  person: string | null
  account: string | null
  teamId: string
  team: string | null
  total: number
}

/** Those who hold roles. Rows of former members and of deleted accounts are none. */
export const HOLDERS = `fw_org_role_members h
  left join org_members hm on hm.org_id = h.org_id and hm.user_id = h.user_id left ${personJoin('hm.user_id')}
  left join fw_service_accounts ha on ha.id = h.user_id and ha.org_id = h.org_id and ha.deleted_at is null
  left join fw_team_members ht on ht.team_id = h.team_id and ht.user_id = h.user_id
  left join fw_teams hn on hn.id = ht.team_id and hn.org_id = h.org_id`
/** Which of them count: for the whole organization, or for a team that they are in. */
export const IS_HOLDER = `coalesce(hm.user_id, ha.id) is not null and (h.team_id = '' or hn.id is not null)`
const HOLDER_COLUMNS = `h.role_id as roleId, h.user_id as userId,
  case when hm.user_id is not null then ${shownPersonSql()} end as person, ha.name as account,
  h.team_id as teamId, hn.name as team`

const LIST_HOLDERS = `select * from (select ${HOLDER_COLUMNS}, count(*) over (partition by h.role_id) as total,
    row_number() over (partition by h.role_id order by coalesce(u.name, ha.name), h.user_id, hn.name) as place
  from ${HOLDERS} where h.org_id = ? and ${IS_HOLDER}) where place <= ${MOST_HOLDERS}`

/** All holders of roles of an organization, a hundred of each role; `total` counts all. */
export const listHolders = (app: App, orgId: string): Promise<HolderRow[]> =>
  app.db.prepareRead<HolderRow>(LIST_HOLDERS)([orgId])

/** A holder as answers show them. */
export function toHolder({
  userId,
  person,
  account,
  teamId,
  team: name,
}: Omit<HolderRow, 'roleId' | 'total'>): RoleHolder {
  const team = name === null ? null : { id: teamId, name }
  return person === null
    ? { id: userId, name: account ?? '', email: userId, image: null, isAccount: true, team }
    : { ...toShownPerson(person), isAccount: false, team }
}

/** The role with this ID in the organization. Throws `not-found`. */
export async function requireRole(app: App, orgId: string, id: string): Promise<RoleRow> {
  const [row] = await app.db.prepareRead<RoleRow>(
    'select id, name, permissions from fw_org_roles where id = ? and org_id = ?',
  )([id, orgId])
  if (!row) throw new AppError('not-found', { detail: 'There is no such role in your organization.' })
  return row
}

/** SQL: whether a person may manage roles at this moment. The values are the IDs of the organization and the person. */
export const MANAGES_ROLES = managesSql('manage-roles')

/** The condition that the actor may manage roles at this moment, and holds all permissions of a JSON list. */
export function mayGrant(app: App, { orgId, userId: id }: Actor, permissions: SQL): SQL {
  const isHeld = holds(holderIn(app, { orgId, id }), sql`wanted.value`)
  return sql`(${withValues(MANAGES_ROLES, [orgId, id])}
    and not exists (select 1 from json_each(${permissions}) wanted where not ${isHeld}))`
}

/** Who would no longer hold these permissions without this role: other roles may carry them too. */
export async function lossesOf(
  app: App,
  actor: Actor,
  { id, name }: RoleRow,
  taken: readonly string[],
): Promise<RolePlan> {
  const names = taken.filter(each => app.config.permissions.names.includes(each))
  if (names.length === 0) return { name, total: 0, losses: [] }
  const holder = holderIn(app, { orgId: actor.orgId, id: sql`h.user_id` })
  const lost = sql`(select json_group_array(taken.value) from json_each(${JSON.stringify(names)}) taken
    where not ${holds(holder, sql`taken.value`, id)} and h.team_id not in (${teamsWith(holder, sql`taken.value`, id)}))`
  const rows = await readSql<HolderRow & { lost: string }>(
    app,
    sql`select *, count(*) over () as total from (
      select ${sql.raw(HOLDER_COLUMNS)}, ${lost} as lost from ${sql.raw(HOLDERS)}
      where h.org_id = ${actor.orgId} and h.role_id = ${id} and ${sql.raw(IS_HOLDER)} order by coalesce(u.name, ha.name), h.user_id)
    where lost <> '[]' limit ${MOST_LOSSES}`,
  )
  return {
    name,
    total: rows[0]?.total ?? 0,
    losses: rows.map(row => ({ holder: toHolder(row), permissions: JSON.parse(row.lost) as string[] })),
  }
}

/** The name of the team for whose rows a role is given; null for the whole organization. Throws `not-found` for others' teams. */
async function teamName(app: App, orgId: string, teamId: string, holder: string): Promise<string | null> {
  if (teamId === '') return null
  const [row] = await app.db.prepareRead<{ name: string }>(
    `select t.name from fw_teams t join fw_team_members m on m.team_id = t.id and m.user_id = ? where t.org_id = ? and t.id = ?`,
  )([holder, orgId, teamId])
  if (!row) throw new AppError('not-found', { detail: 'They are not in this team.' })
  return row.name
}

/** The holder that an address, or the ID of a service account, names. Throws `not-found`. */
async function requireHolder(app: App, orgId: string, named: string) {
  if (named.includes('@')) return { id: (await requireMember(app, orgId, named)).userId, account: null }
  const { id, name } = await requireServiceAccount(app, orgId, named)
  return { id, account: name }
}

/**
 * Gives a role to a member, or to a service account by its ID; twice is the same. With a team, it counts for rows of that team
 * while they are in it. Throws `not-found`, `forbidden` for a role with a permission that the actor lacks, and `conflict` when
 * somebody changed the role or the membership meanwhile.
 */
export async function assignRole(app: App, actor: Actor, id: string, named: string, teamId = '') {
  const { orgId, userId } = actor
  const role = await requireRole(app, orgId, id)
  await checkGrants(app, actor, JSON.parse(role.permissions))
  const holder = await requireHolder(app, orgId, named)
  const team = await teamName(app, orgId, teamId, holder.id)
  const { rowsAffected } = await app.db.orm.run(sql`insert into fw_org_role_members
      (org_id, role_id, user_id, team_id, assigned_by, assigned_at)
    select r.org_id, r.id, ${holder.id}, ${teamId}, ${userId}, ${app.now().getTime()} from fw_org_roles r
    where r.id = ${id} and r.org_id = ${orgId} and ${mayGrant(app, actor, sql`r.permissions`)} and (
      exists (select 1 from org_members x where x.org_id = r.org_id and x.user_id = ${holder.id})
      or exists (select 1 from fw_service_accounts x where x.id = ${holder.id} and x.org_id = r.org_id and x.deleted_at is null))
      and (${teamId} = '' or exists (select 1 from fw_team_members x where x.team_id = ${teamId} and x.org_id = r.org_id and x.user_id = ${holder.id}))
    on conflict (org_id, role_id, user_id, team_id) do update set assigned_by = excluded.assigned_by`)
  if (rowsAffected === 0) throw new AppError('conflict')
  app.log.info('a role was assigned', { role: id, orgId, to: holder.id, by: userId })
  return { name: role.name, account: holder.account, team }
}

/** Takes a role from a member or a service account. Throws `not-found`. */
export async function unassignRole(app: App, actor: Actor, id: string, named: string, teamId = '') {
  const { orgId, userId } = actor
  const role = await requireRole(app, orgId, id)
  const holder = await requireHolder(app, orgId, named)
  const team = await teamName(app, orgId, teamId, holder.id)
  const { rowsAffected } = await app.db.client.execute({
    sql: `delete from fw_org_role_members where org_id = ? and role_id = ? and user_id = ? and team_id = ? and ${MANAGES_ROLES}`,
    args: [orgId, id, holder.id, teamId, orgId, userId],
  })
  if (rowsAffected === 0) throw new AppError('not-found', { detail: 'They do not have this role.' })
  app.log.info('a role was taken away', { role: id, orgId, from: holder.id, by: userId })
  return { name: role.name, account: holder.account, team }
}

/** The statement that takes the roles for one team from those who are no longer in it. */
export const endTeamRoles = (orgId: string): InStatement => ({
  sql: `delete from fw_org_role_members where org_id = ? and team_id <> '' and not exists (
    select 1 from fw_team_members m where m.team_id = fw_org_role_members.team_id and m.user_id = fw_org_role_members.user_id)`,
  args: [orgId],
})
