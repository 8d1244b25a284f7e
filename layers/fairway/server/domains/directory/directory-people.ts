// The people of a directory: what it sends becomes accounts and memberships of its organization, and nothing else.
import {
  decideAddress,
  ensurePerson,
  findPerson,
  languageOfPerson,
  mailPeople,
  tellAddressChange,
} from '#fairway/server/domains/people'
import {
  belongsOnlyTo,
  domainOf,
  findMembership,
  joinByDirectory,
  leaveByDirectory,
  ownsDomain,
  orgUrl,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import { newId } from '#fairway/server/kernel/crypto/random'
import { followMapping, tellFollowed } from './directory-roles'
import { ScimError } from './scim-error'
import { readPage } from './scim-page'
import { applyPatch, type ScimDocument } from './scim-patch'
import type { ScimResource } from './scim-resource'
import { type PersonRow, readUser, type ReadUser, toUserDocument } from './scim-user'

const LISTED = {
  table: 'fw_directory_people',
  columns: `id, org_id as orgId, user_id as userId, user_name as userName, user_name_key as userNameKey,
  external_id as externalId, email, active, made_account as madeAccount, data, created_at as createdAt, updated_at as updatedAt`,
  filters: {
    id: 'id = ?',
    username: 'user_name_key = ?',
    externalid: 'external_id = ?',
    displayname: `lower(json_extract(data, '$.displayName')) = lower(?)`,
    active: `active = (lower(?) = 'true')`,
    emails: 'email = lower(?)',
    'emails.value': 'email = lower(?)',
    'emails[type eq "work"].value': 'email = lower(?)',
  },
}

/** The people of a directory. */
export const directoryUsers: ScimResource<PersonRow> = {
  require: requirePerson,
  list: (app, orgId, page) => readPage(app, orgId, LISTED, page),
  add: addPerson,
  replace: changePerson,
  patch: (app, row, body) => changePerson(app, row, applyPatch(toUserDocument(app, row), body)),
  remove: removePerson,
  async toDocuments(app, rows, projection) {
    const groups = projection.keeps('groups') ? await groupsOf(app, rows) : undefined
    return rows.map(row => toUserDocument(app, row, groups?.get(row.id)))
  },
}

/**
 * The account of the active person whom the directory of an organization knows by its own ID (`externalId`). Undefined for an
 * unknown ID, and for one of several people.
 */
export async function findDirectoryUser(app: App, orgId: string, externalId: string): Promise<string | undefined> {
  const rows = await app.db.prepareRead<{ userId: string }>(
    `select distinct user_id as userId from fw_directory_people
     where org_id = ? and external_id = ? and active = 1 and user_id is not null limit 2`,
  )([orgId, externalId])
  return rows.length === 1 ? rows[0]?.userId : undefined
}

async function requirePerson(app: App, orgId: string, id: string): Promise<PersonRow> {
  const find = app.db.prepareRead<PersonRow>(
    `select ${LISTED.columns} from fw_directory_people where org_id = ? and id = ?`,
  )
  const [row] = await find([orgId, id])
  if (!row) throw new ScimError('There is no user with this id.', undefined, 404)
  return row
}

/** The groups of people, by person. */
async function groupsOf(app: App, rows: readonly PersonRow[]) {
  const find = app.db.prepareRead<{ personId: string; groupId: string; display: string }>(
    `select m.person_id as personId, g.id as groupId, g.display_name as display
     from fw_directory_group_members m join fw_directory_groups g on g.id = m.group_id
     where m.person_id in (select value from json_each(?)) order by g.created_at, g.id`,
  )
  return Map.groupBy(await find([JSON.stringify(rows.map(({ id }) => id))]), ({ personId }) => personId)
}

/** Adds a person. Throws ScimError `uniqueness`, and `invalidValue` for an address outside the proved domains. */
async function addPerson(app: App, orgId: string, document: ScimDocument): Promise<PersonRow> {
  const user = readUser(document)
  await checkDomain(app, orgId, user)
  const { userId, isMade } = await accountOf(app, user)
  const now = app.now().getTime()
  const id = newId()
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_directory_people (id, org_id, user_id, user_name, user_name_key, external_id, email, active,
      made_account, data, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    args: [
      id,
      orgId,
      userId,
      user.userName,
      user.userName.toLowerCase(),
      user.externalId,
      user.email,
      Number(user.active),
      Number(isMade),
      JSON.stringify(user.data),
      now,
      now,
    ],
  })
  if (rowsAffected === 0) throw new ScimError(`The user ${user.userName} is there already.`, 'uniqueness')
  await follow(app, { orgId, userId, active: user.active, email: user.email })
  return requirePerson(app, orgId, id)
}

/** Gives a person the attributes of a document. Throws ScimError `uniqueness`, and like `changeAddress` for another address. */
async function changePerson(app: App, row: PersonRow, document: ScimDocument): Promise<PersonRow> {
  const user = readUser(document)
  const { id, orgId } = row
  if (user.email !== row.email) await changeAddress(app, row, user)
  const userId = row.userId ?? (await accountOf(app, user)).userId
  const isNew = user.active !== (row.active === 1) || userId !== row.userId
  if (isNew) await follow(app, { orgId, userId, active: user.active, email: user.email })
  const { rowsAffected } = await app.db.client.execute({
    sql: `update or ignore fw_directory_people set user_id = ?, user_name = ?, user_name_key = ?, external_id = ?, active = ?,
      data = ?, updated_at = ? where id = ?`,
    args: [
      userId,
      user.userName,
      user.userName.toLowerCase(),
      user.externalId,
      Number(user.active),
      JSON.stringify(user.data),
      app.now().getTime(),
      id,
    ],
  })
  if (rowsAffected === 0) throw new ScimError(`The user ${user.userName} is there already.`, 'uniqueness')
  if (isNew && user.active) {
    const followed = await inTransaction(app, on => followMapping(app, on, orgId, [id]))
    await tellFollowed(app, orgId, followed)
  }
  return requirePerson(app, orgId, id)
}

/**
 * Gives the account of a person another address, if the directory made it and it belongs to this organization alone. Throws
 * ScimError `mutability` otherwise, `invalidValue` outside the proved domains, and `uniqueness`.
 */
async function changeAddress(app: App, row: PersonRow, user: ReadUser): Promise<void> {
  const { id, orgId, userId, email: oldEmail } = row
  await checkDomain(app, orgId, user)
  const taken = () => new ScimError(`The user ${user.userName} is there already.`, 'uniqueness')
  const find = app.db.prepareRead(
    'select 1 from fw_directory_people where org_id = ? and user_name_key = ? and id <> ?',
  )
  if ((await find([orgId, user.userName.toLowerCase(), id])).length > 0) throw taken()
  const change = { userId: userId ?? '', oldEmail, newEmail: user.email }
  const result = row.madeAccount === 1 ? await decideAddress(app, { ...change, when: belongsOnlyTo(orgId) }) : 'refused'
  if (result === 'taken') throw taken()
  if (result === 'refused') throw new ScimError('The address of this account is changed by its owner.', 'mutability')
  const language = await languageOfPerson(app, { email: user.email })
  await tellAddressChange(app, { ...change, language, reason: 'changed by the directory' })
}

/** Removes a person, who is kept out from then on. */
async function removePerson(app: App, { id, orgId, userId, email }: PersonRow): Promise<void> {
  await follow(app, { orgId, userId, active: false, email })
  await app.db.client.batch(
    [
      { sql: 'delete from fw_directory_group_members where person_id = ?', args: [id] },
      { sql: 'delete from fw_directory_people where id = ?', args: [id] },
    ],
    'write',
  )
}

async function checkDomain(app: App, orgId: string, { email }: ReadUser): Promise<void> {
  if (await ownsDomain(app, orgId, domainOf(email))) return
  throw new ScimError(`${email} is in no proved domain of this organization.`, 'invalidValue')
}

/** The account of an address, made if there is none. An unconfirmed one is not touched: null. */
async function accountOf(app: App, { email, name }: ReadUser): Promise<{ userId: string | null; isMade: boolean }> {
  const person = await findPerson(app, { email })
  if (person) return { userId: person.emailVerified ? person.userId : null, isMade: false }
  const isMade = await ensurePerson(app, { email, emailVerified: true, name, image: null })
  return { userId: (await findPerson(app, { email }))?.userId ?? null, isMade }
}

/** Makes a person a member, or ends the membership, as the directory says. */
async function follow(
  app: App,
  { orgId, userId, active, email }: { orgId: string; userId: string | null; active: boolean; email: string },
): Promise<void> {
  if (userId === null) return
  if (!active) return leaveByDirectory(app, { orgId, userId })
  if (!(await joinByDirectory(app, { orgId, userId }))) return
  const organization = (await findMembership(app, userId, orgId))?.orgName ?? ''
  const href = await orgUrl(app, orgId, '/')
  await mailPeople(app, [email], 'directory-joined', { values: { organization }, href })
}
