// The members of an organization, for display and export: searched, filtered, sorted, paged, and as a file.
import {
  lastActiveSql,
  PEOPLE,
  PERSON_TEXT,
  personColumns,
  personJoin,
  type PersonRow,
  shownNameSql,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { isoTime } from '#fairway/server/kernel/dependent-rows'
import { rowsThatMayContain } from '#fairway/server/kernel/folding/trigrams'
import { containsSql, foldedSql, toSought } from '#fairway/server/kernel/folding/fold-sql'
import { type ExportFile, type ExportFormat, exportOf } from '#fairway/server/kernel/export-rows'
import { type Paging, readPage } from '#fairway/server/kernel/database/read-page'
import type { RowOrder } from '#fairway/server/kernel/database/read-sorted'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { MemberPage, OrganizationMember } from '#fairway/shared/schemas/organization'
import { mayInOrg, type OrgRole } from '#fairway/shared/roles'
import type { Actor } from './org-context'

/** The fields that the list of members can be sorted by. */
export const MEMBER_ORDERS = ['name', 'role', 'joinedAt', 'lastActiveAt'] as const

export type MemberOrder = RowOrder<(typeof MEMBER_ORDERS)[number]>

interface MemberFilter {
  /** A part of the name or the address. */
  search: string
  /** Members with one of these roles; all by default. */
  roles?: readonly OrgRole[]
}

export interface MemberQuery extends MemberFilter, Paging {
  /** Defaults to longest-standing first. */
  order?: MemberOrder
}

interface MemberRow extends Omit<OrganizationMember, 'joinedAt' | 'lastActiveAt'> {
  joinedAt: number
  lastActiveAt: number | null
}

const columns = (showsActivity: boolean): string =>
  `u.id as userId, u.email as email, u.name as name, u.image as image, m.role as role, m.joined_at as joinedAt,
    ${showsActivity ? lastActiveSql('u.id') : 'null'} as lastActiveAt`

const FOUND = ` and ${containsSql(PERSON_TEXT.textOf('u')).join(' and ')}`

/** The value that each order compares. Longest-standing members come first among equals. */
const ORDERS = {
  name: foldedSql(shownNameSql()),
  role: `case m.role when 'owner' then 0 when 'admin' then 1 else 2 end`,
  joinedAt: undefined,
  lastActiveAt: 'lastActiveAt',
} as const satisfies Record<MemberOrder['field'], string | undefined>

/** The orders that compare a property of the person. */
const ASKS_PEOPLE = new Set<MemberOrder['field'] | undefined>(['name', 'lastActiveAt'])

interface Shape {
  isSearch?: boolean
  /** The statement of `rowsThatMayContain`. */
  mayContain?: string
  /** The number of roles in the filter. */
  roles?: number
  order?: MemberOrder
  showsActivity?: boolean
}

// With few rows to search, they come first. SQLite would otherwise read every member.
const membersOf = ({ mayContain }: Shape = {}): string =>
  `${mayContain ? `(${mayContain}) f cross join org_members m on m.user_id = f.id` : 'org_members m'} ${personJoin('m.user_id')}`

const conditions = ({ isSearch, roles }: Shape): string =>
  `where m.org_id = ?${roles === undefined ? '' : ` and m.role in (${Array(roles).fill('?').join(', ')})`}${isSearch ? FOUND : ''}`

function orderBy({ field, isDescending }: MemberOrder = { field: 'joinedAt', isDescending: false }): string {
  const direction = isDescending ? ' desc' : ''
  const wanted = ORDERS[field]
  return wanted
    ? `order by ${wanted}${direction}, m.joined_at, m.user_id`
    : `order by m.joined_at${direction}, m.user_id${direction}`
}

/** The statements for the list of members. A test checks that they use indexes. */
export const memberStatements = {
  page: (shape: Shape): string => {
    const order = orderBy(shape.order)
    const select = `select ${columns(shape.showsActivity ?? false)} from`
    const rest = `${conditions(shape)} ${order} limit ? offset ?`
    if (shape.isSearch || ASKS_PEOPLE.has(shape.order?.field)) return `${select} ${membersOf(shape)} ${rest}`
    // Joins people only for the requested page, not for the pages before it.
    return `${select} (select * from org_members m ${rest}) m ${personJoin('m.user_id')} ${order}`
  },
  // Without a search, the count does not join people.
  count: (shape: Shape): string =>
    `select count(*) as total from (select 1 from ${shape.isSearch ? membersOf(shape) : 'org_members m'} ${conditions(shape)} limit ?)`,
  piece: (shape: Shape): string =>
    `select ${columns(true)} from ${membersOf()} ${conditions(shape)} and (m.joined_at, m.user_id) > (?, ?) ${orderBy()} limit ?`,
  one: `select ${columns(false)} from ${membersOf()} where m.org_id = ? and u.email = ?`,
}

/**
 * Returns one page of the members of the caller's organization, longest-standing first by default. `lastActiveAt` is null for
 * callers who may not see it; they get `forbidden` for sorting by it.
 */
export async function listMembers(
  app: App,
  { orgId, role }: Pick<Actor, 'orgId' | 'role'>,
  query: MemberQuery,
): Promise<MemberPage> {
  const { order } = query
  const showsActivity = mayInOrg(role, 'read-member-activity')
  if (order?.field === 'lastActiveAt' && !showsActivity) {
    throw new AppError('forbidden', { detail: 'Owners and admins see when members were last active.' })
  }
  // Without any role, SQLite would read the whole table.
  if (query.roles?.length === 0) return { members: [], totalItems: 0 }
  const { shape, values } = askedFor(orgId, query, await rowsThatMayContain(app, PERSON_TEXT, query.search))
  const find = app.db.prepareRead<MemberRow>(memberStatements.page({ ...shape, order, showsActivity }))
  const count = app.db.prepareRead<{ total: number }>(memberStatements.count(shape))
  const { rows, ...total } = await readPage(
    query,
    ({ offset, limit }) => find([...values, limit, offset]),
    async most => (await count([...values, most]))[0]?.total ?? 0,
  )
  return { members: rows.map(toMember), ...total }
}

type ListedMember = Pick<OrganizationMember, 'userId' | 'name' | 'email' | 'role' | 'image'>

/** Returns all members of an organization, or those with one of these roles; longest-standing first. Empty without one. */
export async function listAllMembers(
  app: App,
  orgId: string | null,
  { roles }: Pick<MemberFilter, 'roles'> = {},
): Promise<ListedMember[]> {
  if (orgId === null || roles?.length === 0) return []
  const { shape, values } = askedFor(orgId, { search: '', roles })
  // In SQLite, a negative limit is none.
  const rows = await app.db.prepareRead<MemberRow>(memberStatements.page(shape))([...values, -1, 0])
  return rows.map(({ userId, name, email, role, image }) => ({ userId, name, email, role, image }))
}

const EXPORTED = ['name', 'email', 'role', 'joinedAt', 'lastActiveAt'] as const

/** Returns the members as a file, longest-standing first. */
export function exportMembers(app: App, orgId: string, filter: MemberFilter & { format: ExportFormat }): ExportFile {
  const { shape, values } = askedFor(orgId, filter)
  const find = app.db.prepareRead<MemberRow>(memberStatements.piece(shape))
  return exportOf<OrganizationMember>('members', { ...filter, columns: EXPORTED }, async (after, limit) => {
    const behind = after ? [Date.parse(after.joinedAt), after.userId] : [-1, '']
    return (await find([...values, ...behind, limit])).map(toMember)
  })
}

/** Returns the member with this address, or undefined. */
export async function findMember(app: App, orgId: string, email: string): Promise<OrganizationMember | undefined> {
  const [row] = await app.db.prepareRead<MemberRow>(memberStatements.one)([orgId, email.trim().toLowerCase()])
  return row && toMember(row)
}

function askedFor(
  orgId: string,
  { search, roles }: MemberFilter,
  mayContain?: { sql: string; args: string[] },
): { shape: Shape; values: string[] } {
  const sought = toSought(search.trim())
  return {
    shape: { isSearch: sought !== undefined, roles: roles?.length, mayContain: mayContain?.sql },
    values: [...(mayContain?.args ?? []), orgId, ...(roles ?? []), ...(sought ? [sought.pattern, sought.folded] : [])],
  }
}

const toMember = (row: MemberRow): OrganizationMember => ({
  ...row,
  joinedAt: new Date(row.joinedAt).toISOString(),
  lastActiveAt: isoTimeOrNull(row.lastActiveAt),
})

const FIND_MEMBERSHIPS = `select o.id as id, o.name as name, m.role as role, ${isoTime('m.joined_at')} as joinedAt
  from org_members m join organizations o on o.id = m.org_id where m.user_id = ? order by m.joined_at, o.id`

/** Lists the organizations of a person with their role there, first joined first. */
export const listMembershipsOf = (
  app: App,
  userId: string,
): Promise<{ id: string; name: string; role: OrgRole; joinedAt: string }[]> =>
  app.memo('list-memberships', () =>
    app.db.prepareRead<{ id: string; name: string; role: OrgRole; joinedAt: string }>(FIND_MEMBERSHIPS),
  )([userId])

/** The names of the organizations of many people, by their id, first joined first. */
export async function organizationNamesOf({ db }: App, userIds: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await db.client.execute({
    sql: `select m.user_id as userId, o.name as name from org_members m join organizations o on o.id = m.org_id
      where m.user_id in (select value from json_each(?)) order by m.joined_at, o.id`,
    args: [JSON.stringify(userIds)],
  })
  const byPerson = Map.groupBy(rows, ({ userId }) => String(userId))
  return new Map([...byPerson].map(([userId, found]) => [userId, found.map(({ name }) => String(name))]))
}

/** An account with the person's role in each organization. */
export interface Somebody extends PersonRow {
  organizations: { id: string; name: string; role: OrgRole }[]
}

const MOST_ACCOUNTS = 1000

const FIND_ALL = `select ${personColumns}, o.id as orgId, o.name as orgName, m.role as role from ${PEOPLE}
  left join org_members m on m.user_id = u.id left join organizations o on o.id = m.org_id
  order by u.email, o.name limit ${MOST_ACCOUNTS}`

/**
 * Lists accounts with their memberships, by address, at most a thousand rows. It has no access check: it is for the developer's
 * own machine.
 */
export async function listEveryone(app: App): Promise<Somebody[]> {
  type Row = PersonRow & { orgId: string | null; orgName: string; role: OrgRole }
  const find = app.memo('list-everyone', () => app.db.prepareRead<Row>(FIND_ALL))
  const people = new Map<string, Somebody>()
  for (const { orgId, orgName, role, ...person } of await find([])) {
    const known = people.get(person.userId) ?? { ...person, organizations: [] }
    if (orgId !== null) known.organizations.push({ id: orgId, name: orgName, role })
    people.set(person.userId, known)
  }
  return [...people.values()]
}
