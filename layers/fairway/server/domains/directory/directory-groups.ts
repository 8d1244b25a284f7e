// The groups of a directory (RFC 7643 §4.2). Each change of members is a statement of its own within one transaction, so parallel
// requests lose none.
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import { followMapping, tellFollowed } from './directory-roles'
import { ScimError } from './scim-error'
import { type GroupRow, type MemberChange, membersIn, readGroup, toGroupDocument } from './scim-group'
import { type Projection, readPage } from './scim-page'
import { applyChanges, readPatch } from './scim-patch'
import type { ScimResource } from './scim-resource'

/** The members that a page of groups may have, so that no answer takes the memory of a server. */
const MOST_MEMBERS = 50_000
const IN_GROUP = `exists (select 1 from fw_directory_group_members m where m.group_id = fw_directory_groups.id and m.person_id = ?)`
const LISTED = {
  table: 'fw_directory_groups',
  columns: `id, org_id as orgId, display_name as displayName, external_id as externalId, created_at as createdAt,
    updated_at as updatedAt`,
  filters: {
    id: 'id = ?',
    displayname: 'display_name_key = ?',
    externalid: 'external_id = ?',
    members: IN_GROUP,
    'members.value': IN_GROUP,
  },
}

async function requireGroup(app: App, orgId: string, id: string): Promise<GroupRow> {
  const find = app.db.prepareRead<GroupRow>(
    `select ${LISTED.columns} from fw_directory_groups where org_id = ? and id = ?`,
  )
  const [row] = await find([orgId, id])
  if (!row) throw notFound()
  return row
}

const notFound = (): ScimError => new ScimError('There is no group with this id.', undefined, 404)
const isThere = (name: string): ScimError => new ScimError(`The group ${name} is there already.`, 'uniqueness')

/** Groups of a directory. They may have the people of this directory as members. */
export const directoryGroups: ScimResource<GroupRow> = {
  require: requireGroup,
  list: (app, orgId, page) => readPage(app, orgId, LISTED, page),
  async add(app, orgId, document) {
    const { displayName, externalId, members } = readGroup(document)
    const now = app.now().getTime()
    const id = newId()
    await inTransaction(app, async on => {
      const { rowsAffected } = await on.execute({
        sql: `insert into fw_directory_groups (id, org_id, display_name, display_name_key, external_id, created_at, updated_at)
          values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
        args: [id, orgId, displayName, displayName.toLowerCase(), externalId, now, now],
      })
      if (rowsAffected === 0) throw isThere(displayName)
      await changeMembers(on, { id, orgId }, { kind: 'add', ids: members })
    })
    return requireGroup(app, orgId, id)
  },
  replace(app, row, document) {
    const { displayName, externalId, members } = readGroup(document)
    return writeGroup(app, row, { displayName, externalId }, [{ kind: 'set', ids: members }])
  },
  patch(app, row, body) {
    const changes = readPatch(body)
    const isOfMembers = ({ path }: (typeof changes)[number]) => path.attribute.toLowerCase() === 'members'
    const { displayName, externalId } = row
    const document = applyChanges(
      { displayName, externalId },
      changes.filter(change => !isOfMembers(change)),
    )
    return writeGroup(app, row, readGroup(document), membersIn(changes.filter(isOfMembers)))
  },
  isLong: true,
  async remove(app, { id, orgId }) {
    const followed = await inTransaction(app, async on => {
      const people = await changeMembers(on, { id, orgId }, { kind: 'set', ids: [] })
      await on.execute({ sql: 'delete from fw_directory_mapping where org_id = ? and group_id = ?', args: [orgId, id] })
      const { rowsAffected } = await on.execute({ sql: 'delete from fw_directory_groups where id = ?', args: [id] })
      if (rowsAffected === 0) throw notFound()
      return followMapping(app, on, orgId, people)
    })
    await tellFollowed(app, orgId, followed)
  },
  async toDocuments(app, rows, projection) {
    const members = await membersOf(app, rows, projection)
    return rows.map(row => toGroupDocument(app, row, members && (members.get(row.id) ?? [])))
  },
}

type Attributes = Pick<GroupRow, 'displayName' | 'externalId'>

async function writeGroup(
  app: App,
  { id, orgId }: GroupRow,
  { displayName, externalId }: Attributes,
  members: readonly MemberChange[],
): Promise<GroupRow> {
  const followed = await inTransaction(app, async on => {
    const { rowsAffected } = await on.execute({
      sql: `update or ignore fw_directory_groups set display_name = ?, display_name_key = ?, external_id = ?, updated_at = ?
        where id = ?`,
      args: [displayName, displayName.toLowerCase(), externalId, app.now().getTime(), id],
    })
    if (rowsAffected === 0) throw isThere(displayName)
    const people: string[] = []
    for (const change of members) people.push(...(await changeMembers(on, { id, orgId }, change)))
    return followMapping(app, on, orgId, people)
  })
  await tellFollowed(app, orgId, followed)
  return requireGroup(app, orgId, id)
}

/** Changes the members of a group and returns the people who entered or left it. Throws ScimError `invalidValue`. */
async function changeMembers(
  on: Runs,
  { id, orgId }: Pick<GroupRow, 'id' | 'orgId'>,
  { kind, ids }: MemberChange,
): Promise<string[]> {
  const named = JSON.stringify(ids)
  const run = async (sql: string, args: string[]) =>
    (await on.execute({ sql, args })).rows.map(({ personId }) => String(personId))
  const left =
    kind === 'add'
      ? []
      : await run(
          `delete from fw_directory_group_members where group_id = ?
            and person_id ${kind === 'set' ? 'not in' : 'in'} (select value from json_each(?)) returning person_id as personId`,
          [id, named],
        )
  if (kind === 'remove' || ids.length === 0) return left
  const [unknown] = await run(
    `select value as personId from json_each(?) j
      where not exists (select 1 from fw_directory_people p where p.id = j.value and p.org_id = ?) limit 1`,
    [named, orgId],
  )
  if (unknown !== undefined) throw new ScimError(`The member ${unknown} is no user of this directory.`, 'invalidValue')
  const entered = await run(
    `insert into fw_directory_group_members (org_id, group_id, person_id) select ?, ?, value from json_each(?) where true
      on conflict do nothing returning person_id as personId`,
    [orgId, id, named],
  )
  return [...left, ...entered]
}

interface Member {
  groupId: string
  personId: string
  display: string
}

/** The members of groups by group; undefined when nobody asks for them. Throws ScimError `tooMany`. */
async function membersOf(app: App, rows: readonly GroupRow[], projection: Projection) {
  if (!projection.keeps('members')) return undefined
  const find = app.db.prepareRead<Member>(
    `select m.group_id as groupId, m.person_id as personId,
      coalesce(json_extract(p.data, '$.displayName'), p.user_name) as display
     from fw_directory_group_members m join fw_directory_people p on p.id = m.person_id
     where m.group_id in (select value from json_each(?)) order by m.group_id, m.person_id limit ${MOST_MEMBERS + 1}`,
  )
  const members = await find([JSON.stringify(rows.map(({ id }) => id))])
  if (members.length > MOST_MEMBERS) {
    const advice = 'Ask for fewer groups, or for excludedAttributes=members.'
    throw new ScimError(`These groups have over ${MOST_MEMBERS} members. ${advice}`, 'tooMany')
  }
  return Map.groupBy(members, ({ groupId }) => groupId)
}
