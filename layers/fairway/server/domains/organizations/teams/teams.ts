// Teams of an organization. A membership of the organization is part of each statement that reads them, so a row that a former
// member left behind neither shows nor grants.
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { personJoin, shownPersonSql } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError } from '#fairway/server/kernel/http/field-errors'
import { isoTime } from '#fairway/server/kernel/iso-time'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import { type Team, teamSchema, type WholeTeam } from '#fairway/shared/schemas/team'
import { type Actor, managesSql } from '../org-context'
import { endTeamRoles } from '../roles/assignments'

const MOST_TEAMS = 200
const SHOWN = 5

/** SQL: the members of the organization (`m`) who are in a team. */
const peopleIn = (team: string): string =>
  `fw_team_members p join org_members m on m.org_id = p.org_id and m.user_id = p.user_id ${personJoin('m.user_id')}
    where p.team_id = ${team}`
const peopleColumn = (limit: string): string => `(select json_group_array(json(x.person)) from (
  select ${shownPersonSql()} as person from ${peopleIn('t.id')} order by u.name, u.email limit ${limit}) x)`

const columnsOf = (
  limit: string,
): string => `t.id, t.name, t.group_id is not null as isFromDirectory, t.created_at as createdAt,
  (select count(*) from ${peopleIn('t.id')}) as total, ${peopleColumn(limit)} as people`

interface TeamRow {
  id: string
  name: string
  isFromDirectory: number
  createdAt: number
  total: number
  people: string
}

const peopleSchema = teamSchema.shape.people

const toTeam = ({ isFromDirectory, createdAt, people, ...row }: TeamRow): Team => ({
  ...row,
  isFromDirectory: isFromDirectory === 1,
  people: peopleSchema.parse(JSON.parse(people)),
  createdAt: isoTime(createdAt),
})

/** The teams of an organization by name, with the first people of each. */
export async function listTeams(app: App, orgId: string): Promise<Team[]> {
  const find = app.db.prepareRead<TeamRow>(
    `select ${columnsOf(String(SHOWN))} from fw_teams t where t.org_id = ? order by t.name_key, t.id`,
  )
  return (await find([orgId])).map(toTeam)
}

/** A team with everyone in it. Throws `not-found`. */
export async function getTeam(app: App, orgId: string, id: string): Promise<WholeTeam> {
  const [row] = await app.db.prepareRead<TeamRow>(
    `select ${columnsOf('-1')} from fw_teams t where t.org_id = ? and t.id = ?`,
  )([orgId, id])
  if (!row) throw new AppError('not-found')
  const serviceAccounts = await app.db.prepareRead<WholeTeam['serviceAccounts'][number]>(
    `select a.id, a.name from fw_team_members p join fw_service_accounts a on a.id = p.user_id and a.org_id = p.org_id
     where p.team_id = ? and a.deleted_at is null order by a.created_at, a.id`,
  )([id])
  return { ...toTeam(row), serviceAccounts }
}

/** SQL: the name of the team in a column made by `teamColumn()`, for the columns of a collection; null without a team. */
export const teamName = (column: SQLiteColumn): SQL<string | null> =>
  sql<string | null>`(select name from fw_teams where id = ${column})`

/** Which of these are IDs of teams of the organization. */
export async function findTeams(app: App, orgId: string | null, ids: readonly string[]): Promise<Set<string>> {
  const find = app.db.prepareRead<{ id: string }>(
    'select id from fw_teams where org_id = ? and id in (select value from json_each(?))',
  )
  return new Set((await find([orgId, JSON.stringify(ids)])).map(({ id }) => id))
}

/** Makes a team. Throws `invalid-input` for a name that another one has, `team-limit` beyond 200 teams, and `forbidden`. */
export async function addTeam(app: App, actor: Actor, name: string): Promise<{ id: string }> {
  const { orgId, userId } = actor
  const id = newId()
  await inTransaction(app, async on => {
    await checkManages(on, actor)
    await checkName(on, { orgId, id, name })
    const { rowsAffected } = await on.execute({
      sql: `insert into fw_teams (id, org_id, name, name_key, created_by, created_at) select ?, ?, ?, ?, ?, ?
        where (select count(*) from fw_teams where org_id = ?) < ${MOST_TEAMS}`,
      args: [id, orgId, name, name.toLowerCase(), userId, app.now().getTime(), orgId],
    })
    if (rowsAffected === 0) throw new AppError('team-limit')
  })
  app.log.info('a team was made', { team: id, orgId, by: userId })
  return { id }
}

/** Renames a team. Throws `not-found`, `directory-team`, `invalid-input` for a name that another one has, and `forbidden`. */
export async function renameTeam(app: App, actor: Actor, id: string, name: string): Promise<void> {
  await inTransaction(app, async on => {
    await requireEdited(on, actor, id)
    await checkName(on, { orgId: actor.orgId, id, name })
    await on.execute({
      sql: 'update fw_teams set name = ?, name_key = ? where id = ?',
      args: [name, name.toLowerCase(), id],
    })
  })
}

interface WholeSet {
  /** The addresses of everyone in it. */
  members: readonly string[]
  /** The IDs of its service accounts; undefined leaves them. */
  serviceAccounts?: readonly string[]
}
interface ChangedTeam {
  name: string
  /** The addresses of people, and the names of service accounts. */
  added: string[]
  removed: string[]
}

/**
 * Sets everyone who is in a team, and returns what changed. Throws `not-found`, `directory-team`, `forbidden`, and `not-a-member`
 * with an error for each wrong entry; then nothing is written.
 */
export async function setTeamMembers(app: App, actor: Actor, id: string, wanted: WholeSet): Promise<ChangedTeam> {
  const changed = await inTransaction(app, async on => {
    const { name } = await requireEdited(on, actor, id)
    const people = await idsOf(on, actor.orgId, wanted)
    const accounts = 'user_id in (select a.id from fw_service_accounts a where a.org_id = ?)'
    const exceptAccounts = wanted.serviceAccounts === undefined ? `and not ${accounts}` : ''
    const before = await on.execute({
      sql: `delete from fw_team_members where team_id = ? and user_id not in (select value from json_each(?)) ${exceptAccounts}
        returning user_id as id`,
      args: [id, JSON.stringify(people), ...(exceptAccounts ? [actor.orgId] : [])],
    })
    const added = await on.execute({
      sql: `insert into fw_team_members (org_id, team_id, user_id, added_by, added_at)
        select ?, ?, value, ?, ? from json_each(?) where true on conflict do nothing returning user_id as id`,
      args: [actor.orgId, id, actor.userId, app.now().getTime(), JSON.stringify(people)],
    })
    if (before.rows.length > 0) await on.execute(endTeamRoles(actor.orgId))
    return { name, added: await namesOf(on, added.rows), removed: await namesOf(on, before.rows) }
  })
  app.log.info('the people of a team were set', { team: id, orgId: actor.orgId, by: actor.userId })
  return changed
}

const FIND_MEMBERS = `select u.email as key, m.user_id as id from org_members m ${personJoin('m.user_id')}
  where m.org_id = ? and u.email in (select value from json_each(?))`
const FIND_ACCOUNTS = `select id as key, id from fw_service_accounts
  where org_id = ? and deleted_at is null and id in (select value from json_each(?))`

/** The IDs of a whole set. Throws `not-a-member`. */
async function idsOf(on: Runs, orgId: string, { members, serviceAccounts = [] }: WholeSet): Promise<string[]> {
  const find = async (sql: string, keys: readonly string[]) => {
    const { rows } = await on.execute({ sql, args: [orgId, JSON.stringify(keys)] })
    return new Map(rows.map(({ key, id }) => [String(key), String(id)]))
  }
  const people = await find(FIND_MEMBERS, members)
  const accounts = await find(FIND_ACCOUNTS, serviceAccounts)
  const faults = (field: string, keys: readonly string[], known: ReadonlyMap<string, string>) =>
    keys.flatMap((key, index) => (known.has(key) ? [] : [fieldError(`${field}.${index}`, 'no-member')]))
  const errors = [...faults('members', members, people), ...faults('serviceAccounts', serviceAccounts, accounts)]
  if (errors.length > 0) throw new AppError('not-a-member', { errors })
  return [...people.values(), ...accounts.values()]
}

async function namesOf(on: Runs, changed: readonly { [name: string]: unknown }[]): Promise<string[]> {
  if (changed.length === 0) return []
  const ids = JSON.stringify(changed.map(({ id }) => id))
  const { rows } = await on.execute({
    sql: `select u.email as name from json_each(?) j ${personJoin('j.value')}
      union all select a.name from json_each(?) j join fw_service_accounts a on a.id = j.value order by name`,
    args: [ids, ids],
  })
  return rows.map(({ name }) => String(name))
}

/** Throws `forbidden` unless the actor may manage teams at this moment. */
async function checkManages(on: Runs, { orgId, userId }: Actor): Promise<void> {
  const { rows } = await on.execute({ sql: `select ${managesSql('manage-teams')} as may`, args: [orgId, userId] })
  if (rows[0]?.may !== 1) throw new AppError('forbidden')
}

/** A team that owners and admins edit. Throws `not-found`, `directory-team`, and like `checkManages`. */
export async function requireEdited(on: Runs, actor: Actor, id: string): Promise<{ name: string }> {
  await checkManages(on, actor)
  const { rows } = await on.execute({
    sql: 'select name, group_id as groupId from fw_teams where org_id = ? and id = ?',
    args: [actor.orgId, id],
  })
  if (!rows[0]) throw new AppError('not-found')
  if (rows[0].groupId !== null) throw new AppError('directory-team')
  return { name: String(rows[0].name) }
}

async function checkName(on: Runs, { orgId, id, name }: { orgId: string; id: string; name: string }): Promise<void> {
  const args: InValue[] = [orgId, name.toLowerCase(), id]
  const { rows } = await on.execute({
    sql: 'select 1 from fw_teams where org_id = ? and name_key = ? and id <> ?',
    args,
  })
  if (rows.length > 0) throw new AppError('invalid-input', { errors: [fieldError('name', 'name-taken')] })
}
