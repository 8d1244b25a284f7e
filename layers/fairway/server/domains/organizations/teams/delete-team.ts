// The end of a team: what it holds, and what goes with it.
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countByTable, findTables, type Runs } from '#fairway/server/kernel/owned-rows'
import type { TeamHolders } from '#fairway/shared/schemas/team'
import { rowsRefused } from '../hand-over'
import type { Actor } from '../org-context'
import { endTeamRoles } from '../roles/assignments'
import { requireEdited } from './teams'

const SHOWN = 20

/** What a team holds: its people and their roles for it, the rows that are shared with it, and the rows whose column names it. */
export async function holdersOfTeam(on: Runs, orgId: string, id: string): Promise<TeamHolders> {
  const counted = await on.execute({
    sql: `select count(*) as total from fw_team_members p where p.team_id = ? and (
      exists (select 1 from org_members m where m.org_id = p.org_id and m.user_id = p.user_id)
      or exists (select 1 from fw_service_accounts a where a.id = p.user_id and a.org_id = p.org_id and a.deleted_at is null))`,
    args: [id],
  })
  const people = await on.execute({
    sql: `select ${shownPersonSql()} as person from fw_team_members p
      join org_members m on m.org_id = p.org_id and m.user_id = p.user_id ${personJoin('m.user_id')}
      where p.team_id = ? order by u.name, u.email limit ${SHOWN}`,
    args: [id],
  })
  const shared = await on.execute({
    sql: 'select resource as "table", count(*) as rows from shares where user_id = ? group by resource order by resource',
    args: [id],
  })
  const roles = await on.execute({
    sql: 'select count(*) as total from fw_org_role_members where org_id = ? and team_id = ?',
    args: [orgId, id],
  })
  const tables = (await findTables(on)).filter(table => table.hasOrg && table.teams.length > 0)
  return {
    total: Number(counted.rows[0]?.total),
    people: people.rows.map(({ person }) => toShownPerson(String(person))),
    roles: Number(roles.rows[0]?.total),
    shared: shared.rows.map(({ table, rows }) => ({ table: String(table), rows: Number(rows) })),
    rows: await countByTable(on, tables, ({ teams }) => `org_id = ? and ? in (${teams.join(', ')})`, [orgId, id]),
  }
}

/** Whether a team holds nothing. */
const isEmpty = ({ total, shared, rows }: TeamHolders): boolean => total + shared.length + rows.length === 0

/** What a team holds before it is deleted, without deleting it. Throws like `deleteTeam`, except `in-use`. */
export async function planTeamEnd(app: App, actor: Actor, id: string): Promise<{ name: string; holders: TeamHolders }> {
  const { name } = await requireEdited(app.db.client, actor, id)
  return { name, holders: await holdersOfTeam(app.db.client, actor.orgId, id) }
}

/**
 * Deletes a team with its shares. Rows whose column names it stay without it. Throws `in-use` with the `holders` unless
 * `confirm` is true, `not-found`, `directory-team`, `forbidden` and `rows-refused`.
 */
export async function deleteTeam(
  app: App,
  actor: Actor,
  { id, confirm }: { id: string; confirm: boolean },
): Promise<{ name: string; holders: TeamHolders }> {
  const deleted = await inTransaction(app, async on => {
    const { name } = await requireEdited(on, actor, id)
    const holders = await holdersOfTeam(on, actor.orgId, id)
    if (!confirm && !isEmpty(holders)) throw new AppError('in-use', { extra: { holders } })
    await removeTeams(on, actor.orgId, [id])
    return { name, holders }
  })
  app.log.info('a team was deleted', { team: id, orgId: actor.orgId, by: actor.userId })
  return deleted
}

/** Deletes these teams within a transaction. A column that takes no null keeps the ID, which grants nothing. */
export async function removeTeams(on: Runs, orgId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const named = JSON.stringify(ids)
  const list = '(select value from json_each(?))'
  try {
    for (const { quoted, hasOrg, teams } of await findTables(on))
      for (const column of hasOrg ? teams : [])
        await on.execute({
          sql: `update or ignore ${quoted} set ${column} = null where org_id = ? and ${column} in ${list}`,
          args: [orgId, named],
        })
  } catch (cause) {
    throw rowsRefused(cause)
  }
  await on.execute({ sql: `delete from shares where user_id in ${list}`, args: [named] })
  await on.execute({ sql: `delete from fw_team_members where team_id in ${list}`, args: [named] })
  await on.execute(endTeamRoles(orgId))
  await on.execute({ sql: `delete from fw_teams where org_id = ? and id in ${list}`, args: [orgId, named] })
}
