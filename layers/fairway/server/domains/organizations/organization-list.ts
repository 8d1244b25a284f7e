// Organizations for operators.
import { z } from 'zod'
import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { newestPage } from '#fairway/server/kernel/database/newest-page'
import { containsSql, toSought } from '#fairway/server/kernel/folding/fold-sql'
import { isoTime } from '#fairway/server/kernel/dependent-rows'
import { countRows } from '#fairway/server/kernel/owned-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { OrganizationDeletion, OrganizationEntry } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { deleteOrganization, planDeletion, restoreFor } from './deletion'

const COLUMNS = `o.id as id, o.name as name, o.created_at as createdMs, ${isoTime('o.created_at')} as createdAt,
  ${isoTime('o.purge_at')} as purgeAt, (select count(*) from org_members m where m.org_id = o.id) as members`

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdMs: z.number(),
  createdAt: z.string(),
  purgeAt: z.string().nullable(),
  members: z.number(),
})
const toOrganization = ({ createdMs: _createdMs, ...organization }: z.output<typeof rowSchema>) => organization

/**
 * Returns one page of all organizations, newest first, 50 a page. `search` is part of the name, or the ID. `cursor` is null on
 * the last page.
 */
export async function listOrganizations(app: App, { search = '', cursor }: { search?: string; cursor?: string }) {
  const wanted = search.trim()
  const sought = toSought(wanted)
  const { rows, ...place } = await newestPage(app.db.client, {
    columns: COLUMNS,
    from: 'organizations o',
    alias: 'o',
    conditions: sought
      ? [{ sql: `(${containsSql('o.name').join(' and ')} or o.id = ?)`, args: [sought.pattern, sought.folded, wanted] }]
      : [],
    cursor,
    parse: row => rowSchema.parse(row),
  })
  return { organizations: rows.map(toOrganization), ...place }
}

/** Counts all organizations, including deleted ones. */
export const countOrganizations = (app: App): Promise<number> => countRows(app.db.client, 'organizations', [])

const OWNERS_FIRST = `order by case m.role when 'owner' then 0 when 'admin' then 1 else 2 end, m.joined_at`
const memberSchema = z.object({ id: z.string(), name: z.string(), email: z.string(), role: z.string() })

/** Returns one organization with its members, owners first, including those of a deleted one. Throws `not-found`. */
export async function findOrganization(app: App, orgId: string) {
  const { rows } = await app.db.client.execute({
    sql: `select ${COLUMNS} from organizations o where o.id = ?`,
    args: [orgId],
  })
  if (!rows[0]) throw new AppError('not-found')
  const members = await app.db.client.execute({
    sql: `select u.id as id, u.name as name, u.email as email, m.role as role
      from (select * from (select user_id, role, joined_at from org_members where org_id = ?1
        union all select user_id, role, joined_at from fw_suspended_members where org_id = ?1) m
        ${OWNERS_FIRST} limit 100) m ${personJoin('m.user_id')} ${OWNERS_FIRST}`,
    args: [orgId],
  })
  return { organization: toOrganization(rowSchema.parse(rows[0])), members: members.rows.map(row => memberSchema.parse(row)) }
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
  const actor = { orgId, orgName: organization.name, userId: owner.id, email: owner.email, role: 'owner' as const }
  return isDryRun ? planDeletion(app, actor, name) : deleteOrganization(app, session, actor, name)
}

/** Restores a deleted organization on behalf of its owners. Throws `not-found`. */
export async function restoreForOwners(app: App, orgId: string): Promise<OrganizationEntry> {
  const owner = (await findOrganization(app, orgId)).members.find(({ role }) => role === 'owner')
  return restoreFor(app, owner?.id ?? '', orgId)
}
