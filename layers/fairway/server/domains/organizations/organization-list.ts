// Organizations for operators.
import { eq, inArray, or, sql } from 'drizzle-orm'
import { z } from 'zod'
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { type CountedQuery, readSortedTotal } from '#fairway/server/kernel/database/read-sorted'
import { containsText, foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { countRows } from '#fairway/server/kernel/owned-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { OrganizationDeletion, OrganizationEntry } from '#fairway/shared/schemas/organization'
import { type ShownPerson, shownPersonSchema } from '#fairway/shared/schemas/person'
import { ORG_ROLES } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { deleteOrganization, planDeletion, restoreFor } from './deletion'
import { organizations } from './tables'

const MEMBERS = sql<number>`(select count(*) from org_members m where m.org_id = organizations.id)`

/** What each order compares. */
const ORDERS = { name: sql.raw(foldedSql('organizations.name')), createdAt: organizations.createdAt, members: MEMBERS }
const NEWEST_FIRST = { field: 'createdAt', isDescending: true } as const

const selectOrganizations = (app: App, sortValue = sql<string | number>`0`) => {
  const { id, name, createdAt, purgeAt } = organizations
  const owner = sql<ShownPerson | null>`(select ${sql.raw(shownPersonSql())} from ${sql.raw(memberships('organizations.id'))} m
    ${sql.raw(personJoin('m.user_id'))} where m.role = 'owner' order by m.joined_at, m.user_id limit 1)`
  return app.db.orm
    .select({ id, name, createdAt, purgeAt, members: MEMBERS, owner: owner.mapWith(toShownPerson), sortValue })
    .from(organizations)
}

/** The memberships of an organization, also of a deleted one. */
const memberships = (orgId: string): string =>
  `(select user_id, role, joined_at from org_members where org_id = ${orgId}
    union all select user_id, role, joined_at from fw_suspended_members where org_id = ${orgId})`

type OrganizationRow = Omit<Awaited<ReturnType<typeof selectOrganizations>>[number], 'sortValue'>

const toOrganization = (organization: OrganizationRow) => ({
  ...organization,
  createdAt: organization.createdAt.toISOString(),
  purgeAt: organization.purgeAt?.toISOString() ?? null,
})

/** Returns one page of all organizations, by default newest first. `search` is part of the name, or the ID. */
export async function listOrganizations(
  app: App,
  { search = '', ...query }: CountedQuery<keyof typeof ORDERS> & { search?: string },
) {
  const text = search.trim()
  const isFound = text ? or(containsText(sql`organizations.name`, text), eq(organizations.id, text)) : undefined
  const list = { values: ORDERS, id: organizations.id, from: organizations, where: isFound, first: NEWEST_FIRST }
  const { rows, ...page } = await readSortedTotal(app.db.orm, list, query, ({ sortValue, isOnPage, orderBy }) =>
    selectOrganizations(app, sortValue).where(isOnPage).orderBy(orderBy),
  )
  return { organizations: rows.map(toOrganization), ...page }
}

/** Adds the organization of each row; `name` is null for one that was removed. */
export async function withOrganizations<T extends { orgId: string | null }>(
  app: App,
  rows: readonly T[],
): Promise<(T & { organization: { id: string; name: string | null } | null })[]> {
  const ids = [...new Set(rows.flatMap(({ orgId }) => orgId ?? []))]
  const { id, name } = organizations
  // Without any ID, SQLite would scan the whole table.
  const named =
    ids.length === 0 ? [] : await app.db.orm.select({ id, name }).from(organizations).where(inArray(id, ids))
  const names = new Map(named.map(each => [each.id, each.name]))
  return rows.map(row => ({
    ...row,
    organization: row.orgId === null ? null : { id: row.orgId, name: names.get(row.orgId) ?? null },
  }))
}

/** Counts all organizations, including deleted ones. */
export const countOrganizations = (app: App): Promise<number> => countRows(app.db.client, 'organizations', [])

const OWNERS_FIRST = `order by case m.role when 'owner' then 0 when 'admin' then 1 else 2 end, m.joined_at`
const MOST_MEMBERS = 100

/** The first memberships of an organization by role, so that an index has their order. */
const firstOf = (table: string): string =>
  ORG_ROLES.map(
    role => `select * from (select user_id, role, joined_at from ${table} where org_id = ?1 and role = '${role}'
      order by joined_at limit ${MOST_MEMBERS})`,
  ).join(' union all ')

const memberSchema = z.object({ ...shownPersonSchema.shape, id: z.string(), role: z.string() })

/** Returns one organization with its members, owners first, including those of a deleted one. Throws `not-found`. */
export async function findOrganization(app: App, orgId: string) {
  const [row] = await selectOrganizations(app).where(eq(organizations.id, orgId))
  if (!row) throw new AppError('not-found')
  const { sortValue: _value, ...organization } = row
  const members = await app.db.client.execute({
    sql: `select ${shownPersonSql()} as person, m.role as role
      from (select * from (${firstOf('org_members')} union all ${firstOf('fw_suspended_members')}) m
        ${OWNERS_FIRST} limit ${MOST_MEMBERS}) m ${personJoin('m.user_id')} ${OWNERS_FIRST}`,
    args: [orgId],
  })
  return {
    organization: toOrganization(organization),
    members: members.rows.map(({ person, role }) => memberSchema.parse({ ...toShownPerson(person), role })),
  }
}

interface OnBehalf {
  session: Session
  orgId: string
  /** The name, typed again. */
  name: string
  isDryRun: boolean
}

/** Deletes an organization on behalf of its owners, who can restore it. Throws `not-found` and `name-mismatch`. */
export async function deleteForOwners(
  app: App,
  { session, orgId, name, isDryRun }: OnBehalf,
): Promise<OrganizationDeletion> {
  const { organization, members } = await findOrganization(app, orgId)
  const owner = members.find(({ role }) => role === 'owner')
  if (!owner || organization.purgeAt) throw new AppError('not-found')
  const { id: userId, email } = owner
  const actor = { orgId, orgName: organization.name, userId, email, role: 'owner' as const, session }
  return isDryRun ? planDeletion(app, actor, name) : deleteOrganization(app, actor, name)
}

/** Restores a deleted organization on behalf of its owners. Throws `not-found`. */
export async function restoreForOwners(app: App, orgId: string): Promise<OrganizationEntry> {
  const owner = (await findOrganization(app, orgId)).members.find(({ role }) => role === 'owner')
  return restoreFor(app, owner?.id ?? '', orgId)
}
