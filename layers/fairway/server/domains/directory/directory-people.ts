// The people of a directory: what it sends becomes accounts and memberships of its organization, and nothing else.
import { ensurePerson, findPerson, mailPeople } from '#fairway/server/domains/people'
import {
  domainOf,
  findMembership,
  joinByDirectory,
  leaveByDirectory,
  ownsDomain,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import { ScimError } from './scim-error'
import { type Comparison, parseFilter } from './scim-filter'
import type { ScimDocument } from './scim-patch'
import { type PersonRow, readUser, type ReadUser, toUserDocument } from './scim-user'

const MOST_PER_PAGE = 200
const COLUMNS = `id, org_id as orgId, user_id as userId, user_name as userName, user_name_key as userNameKey,
  external_id as externalId, email, active, data, created_at as createdAt, updated_at as updatedAt`

/** The columns behind the attributes that a filter may name. */
const FILTERED: Partial<Record<string, string>> = {
  id: 'id = ?',
  username: 'user_name_key = lower(?)',
  externalid: 'external_id = ?',
  displayname: `lower(json_extract(data, '$.displayName')) = lower(?)`,
  active: `active = (lower(?) = 'true')`,
  emails: 'email = lower(?)',
  'emails.value': 'email = lower(?)',
  'emails[type eq "work"].value': 'email = lower(?)',
}

/** The row of a person; throws ScimError 404. */
export async function requirePerson(app: App, orgId: string, id: string): Promise<PersonRow> {
  const find = app.db.prepareRead<PersonRow>(`select ${COLUMNS} from fw_directory_people where org_id = ? and id = ?`)
  const [row] = await find([orgId, id])
  if (!row) throw new ScimError('There is no user with this id.', undefined, 404)
  return row
}

interface Page {
  filter?: string
  /** From 1 on; smaller ones count as 1 (RFC 7644 §3.4.2.4). */
  startIndex: number
  count: number
}

/** A page of people, oldest first, with the total. Throws ScimError `invalidFilter`. */
export async function listPeople(app: App, orgId: string, { filter, startIndex, count }: Page) {
  const comparisons = filter ? parseFilter(filter) : []
  const where = ['org_id = ?', ...comparisons.map(conditionOf)].join(' and ')
  const args: InValue[] = [orgId, ...comparisons.map(({ value }) => value)]
  const first = Math.max(1, startIndex)
  const size = Math.min(Math.max(0, count), MOST_PER_PAGE)
  const [page, total] = await Promise.all([
    app.db.client.execute({
      sql: `select ${COLUMNS} from fw_directory_people where ${where} order by created_at, id limit ? offset ?`,
      args: [...args, size, first - 1],
    }),
    app.db.client.execute({ sql: `select count(*) as total from fw_directory_people where ${where}`, args }),
  ])
  const rows = page.rows as unknown as PersonRow[]
  return {
    totalResults: Number(total.rows[0]?.total ?? 0),
    startIndex: first,
    itemsPerPage: rows.length,
    Resources: rows.map(row => toUserDocument(app, row)),
  }
}

function conditionOf({ attribute }: Comparison): string {
  const condition = FILTERED[attribute.replace(/^urn:ietf:params:scim:schemas:core:2\.0:user:/, '')]
  if (!condition) throw new ScimError(`Users cannot be found by ${attribute}.`, 'invalidFilter')
  return condition
}

/** Adds a person. Throws ScimError `uniqueness`, and `invalidValue` for an address outside the proved domains. */
export async function addPerson(app: App, orgId: string, document: ScimDocument): Promise<PersonRow> {
  const user = readUser(document)
  await checkDomain(app, orgId, user)
  const userId = await accountOf(app, user)
  const now = app.now().getTime()
  const id = newId()
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_directory_people (id, org_id, user_id, user_name, user_name_key, external_id, email, active, data,
      created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    args: [
      id,
      orgId,
      userId,
      user.userName,
      user.userName.toLowerCase(),
      user.externalId,
      user.email,
      Number(user.active),
      JSON.stringify(user.data),
      now,
      now,
    ],
  })
  if (rowsAffected === 0) throw new ScimError(`The user ${user.userName} is there already.`, 'uniqueness')
  await follow(app, { orgId, userId, active: user.active, email: user.email })
  return requirePerson(app, orgId, id)
}

/**
 * Gives a person the attributes of a document. Throws ScimError `uniqueness`, `invalidValue`, and `mutability` for another address:
 * the address of an account is changed by its owner.
 */
export async function changePerson(app: App, row: PersonRow, document: ScimDocument): Promise<PersonRow> {
  const user = readUser(document)
  const { id, orgId } = row
  if (user.email !== row.email) throw new ScimError('The address of an account is changed by its owner.', 'mutability')
  const userId = row.userId ?? (await accountOf(app, user))
  if (user.active !== (row.active === 1)) await follow(app, { orgId, userId, active: user.active, email: user.email })
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
  return requirePerson(app, orgId, id)
}

/** Removes a person, who is kept out from then on. */
export async function removePerson(app: App, { id, orgId, userId, email }: PersonRow): Promise<void> {
  await follow(app, { orgId, userId, active: false, email })
  await app.db.client.execute({ sql: 'delete from fw_directory_people where id = ?', args: [id] })
}

async function checkDomain(app: App, orgId: string, { email }: ReadUser): Promise<void> {
  if (await ownsDomain(app, orgId, domainOf(email))) return
  throw new ScimError(`${email} is in no proved domain of this organization.`, 'invalidValue')
}

/** The account of an address, created if there is none. An unconfirmed one is not touched: null. */
async function accountOf(app: App, { email, name }: ReadUser): Promise<string | null> {
  const person = await findPerson(app, { email })
  if (person) return person.emailVerified ? person.userId : null
  await ensurePerson(app, { email, emailVerified: true, name, image: null })
  return (await findPerson(app, { email }))?.userId ?? null
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
  await mailPeople(app, [email], 'directory-joined', { values: { organization }, href: app.config.baseUrl })
}
