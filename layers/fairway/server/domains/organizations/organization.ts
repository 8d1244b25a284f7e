import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement, Orm } from '#fairway/server/kernel/database/client'
import type { TableOfRows, Runs } from '#fairway/server/kernel/owned-rows'
import { ORG_ROLES, type OrgPermission, type OrgRole } from '#fairway/shared/roles'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { OrganizationEntry } from '#fairway/shared/schemas/organization'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { listOrgCredentialKeys } from './vault'
import { activeOrgStatements, logMoves } from './active-org'
import { changeSlug, newSlugSql } from './org-slugs'
import { findMembership, listMemberships, type Membership, toEntry } from './switch-organization'
import { DOMAIN_HOLDS, domainOf, ownsDomain, requireDomain } from './domain-names'
import { requireOrg, type Actor } from './org-context'
import { organizations, orgMembers } from './tables'
import { forgetStatements, ofAuthors } from './deletion'
import { handOverStatements, isHandedOver, type Receivers } from './hand-over'
import { endMembershipsStatements } from './end-membership'

interface CreateOrganizationInput {
  name: string
  /** Must be true for an account that already belongs to an organization. */
  confirm?: boolean
  /** Whether the person goes on working where they are: their request names an organization. */
  stays?: boolean
}

type Creator = Pick<Session, 'userId' | 'email' | 'name' | 'orgId' | 'orgName'>

/**
 * Creates an organization that the person owns and works in from then on. For an account that already has one, it logs a warning
 * and requires `confirm` (SPEC: organizations rule 7). Throws `confirm-additional-organization` and `rate-limited`.
 */
export async function createOrganization(
  app: App,
  creator: Creator,
  { name, confirm = false, stays = false }: CreateOrganizationInput,
): Promise<OrganizationEntry> {
  const existing = await listMemberships(app, creator.userId)
  if (existing.length > 0 && !confirm) throw await confirmationFor(app, creator, existing)
  await rateLimit(app, limits.organizationsPerAccount, creator.userId)
  const id = newId()
  const results = await app.db.client.batch(
    createStatements(app, { id, name, userId: creator.userId, confirm, stays }),
    'write',
  )
  // Another request was faster. Without `confirm`, this one would have created a second organization.
  if (results[0]?.rowsAffected !== 1) {
    throw await confirmationFor(app, creator, await listMemberships(app, creator.userId))
  }
  if (existing.length > 0) {
    app.log.warn('an additional organization was created for an account that has one', {
      userId: creator.userId,
      organization: { id, name },
      existing: existing.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })),
      noLongerReadable: await keysOf(app, creator),
    })
  }
  await logMoves(app, results, 'organization created')
  const membership = await findMembership(app, creator.userId, id)
  return membership ? toEntry(membership) : { id, name, slug: null, role: 'owner' }
}

interface NewOrganization {
  id: string
  name: string
  userId: string
  confirm: boolean
  stays: boolean
}

function createStatements(app: App, { id, name, userId, confirm, stays }: NewOrganization): InStatement[] {
  const now = app.now().getTime()
  const slug = newSlugSql(name)
  return [
    {
      sql: `insert into organizations (id, name, slug, created_by, created_at) select ?, ?, ${slug.sql}, ?, ?
        where ? or not exists (select 1 from org_members where user_id = ?)`,
      args: [id, name, ...slug.args, userId, now, confirm ? 1 : 0, userId],
    },
    ...(stays
      ? []
      : activeOrgStatements({
          who: { sql: 'u.id = ? and exists (select 1 from organizations where id = ?)', args: [userId, id] },
          to: { sql: '?', args: [id] },
        })),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select id, created_by, 'owner', ? from organizations where id = ?`,
      args: [now, id],
    },
  ]
}

async function confirmationFor(app: App, creator: Creator, [first]: Membership[]): Promise<AppError> {
  return new AppError('confirm-additional-organization', {
    detail: 'People are better added to the organization you have: credentials are not shared between organizations.',
    extra: {
      organization: { id: first?.orgId, name: first?.orgName },
      orphanedCredentials: (await keysOf(app, creator)).map(key => ({ key })),
    },
  })
}

const keysOf = async (app: App, { orgId }: Creator): Promise<string[]> =>
  orgId ? listOrgCredentialKeys(app, orgId) : []

/** The query of the organizations that are in use: not deleted. */
export const OPEN_ORGANIZATIONS = 'select id, name from organizations where deleted_at is null'

/** Whether an organization with this id exists. */
export async function orgExists(db: Pick<Orm, 'all'>, id: string): Promise<boolean> {
  return (await db.all(sql`select 1 from organizations where id = ${id}`)).length > 0
}

/** Whether an organization is in use: it exists, and no owner has deleted it. */
export const isInUse = async (app: App, orgId: string): Promise<boolean> =>
  (await app.db.prepareRead(`select 1 from (${OPEN_ORGANIZATIONS}) where id = ?`)([orgId])).length > 0

/** Whether connected apps and tokens are limited to reading in this organization. */
export async function agentsOnlyRead(app: App, orgId: string | null): Promise<boolean> {
  const find = app.memo('agents-read-only', () =>
    app.db.prepareRead<{ isOn: number }>('select agents_read_only as isOn from organizations where id = ?'),
  )
  return orgId !== null && (await find([orgId]))[0]?.isOn === 1
}

interface UpdateOrganizationInput {
  name?: string
  /** null removes the domain. */
  allowedDomain?: string | null
  /** Whether connected apps and personal tokens are limited to reading here. */
  agentsReadOnly?: boolean
  slug?: string
}

/**
 * Renames the organization or limits its connected apps (admin). Or sets the domain whose people may join (owner, and only the
 * domain of their own verified address, or one that the organization has proved) or its address (owner).
 */
export async function updateOrganization(app: App, session: Session, input: UpdateOrganizationInput): Promise<void> {
  const wantsDomain = input.allowedDomain !== undefined
  const actor = requireOrg(session, permissionFor(input))
  const allowedDomain = wantsDomain ? await checkedDomain(app, actor, input.allowedDomain ?? '') : undefined
  const changes = { name: input.name, agentsReadOnly: input.agentsReadOnly, allowedDomain }
  if (input.slug !== undefined) await changeSlug(app, actor, input.slug)
  if (Object.values(changes).every(value => value === undefined)) return
  if (allowedDomain) await freeDomain(app, actor, allowedDomain)
  const roles = wantsDomain ? ['owner'] : ['owner', 'admin']
  const isAllowed = sql`exists (select 1 from ${orgMembers} where ${orgMembers.orgId} = ${organizations.id}
    and ${orgMembers.userId} = ${actor.userId} and ${orgMembers.role} in (${sql.join(
      roles.map(role => sql`${role}`),
      sql`, `,
    )}))`
  const isFree = allowedDomain
    ? sql`not exists (select 1 from organizations other where other.allowed_domain = ${allowedDomain} and other.id <> ${actor.orgId})`
    : sql`1`
  const updated = await app.db.orm
    .update(organizations)
    .set(changes)
    .where(and(eq(organizations.id, actor.orgId), isAllowed, isFree))
    .returning({ id: organizations.id })
  if (updated.length === 0) throw new AppError(allowedDomain ? 'domain-taken' : 'forbidden')
}

function permissionFor({ allowedDomain, name, slug }: UpdateOrganizationInput): OrgPermission {
  if (slug !== undefined) return 'set-address'
  if (allowedDomain !== undefined) return 'set-domain'
  return name === undefined ? 'limit-agents' : 'rename-organization'
}

async function checkedDomain(app: App, { orgId, session }: Actor, typed: string): Promise<string | null> {
  if (typed.trim() === '') return null
  const domain = requireDomain(typed, 'allowedDomain')
  if (session.emailVerified && domainOf(session.email) === domain) return domain
  if (!(await ownsDomain(app, orgId, domain))) throw new AppError('not-your-domain')
  return domain
}

/** Takes a domain from an organization that no longer has an owner there; throws `domain-taken` when another one holds it. */
async function freeDomain(app: App, actor: Actor, domain: string): Promise<void> {
  await app.db.client.execute({
    sql: `update organizations as o set allowed_domain = null where o.allowed_domain = ? and o.id <> ? and not ${DOMAIN_HOLDS}`,
    args: [domain, actor.orgId],
  })
  const [other] = await app.db.orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.allowedDomain, domain))
  if (other && other.id !== actor.orgId) throw new AppError('domain-taken')
}

/** The effect on an organization when this member's account is deleted. */
export interface LeavingEntry {
  id: string
  name: string
  role: OrgRole
  members: number
  /**
   * `deleted`: it has no other member. `blocks`: the member is its only owner, which must change first. `left`: it stays without
   * them.
   */
  fate: 'deleted' | 'blocks' | 'left'
}

const LEAVING = `select o.id, o.name, m.role, (select count(*) from org_members x where x.org_id = o.id) as members,
    exists (select 1 from org_members x where x.org_id = o.id and x.role = 'owner' and x.user_id <> m.user_id) as hasOtherOwner
  from org_members m join organizations o on o.id = m.org_id where m.user_id = ? order by m.joined_at, o.id`

const leavingSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(ORG_ROLES),
    members: z.number(),
    hasOtherOwner: z.number(),
  })
  .transform(({ hasOtherOwner, ...org }): LeavingEntry => {
    if (org.members === 1) return { ...org, fate: 'deleted' }
    return { ...org, fate: org.role === 'owner' && hasOtherOwner === 0 ? 'blocks' : 'left' }
  })

/** Lists the effects on a person's organizations when their account is deleted. */
export async function listLeaving(on: Runs, userId: string): Promise<LeavingEntry[]> {
  const { rows } = await on.execute({ sql: LEAVING, args: [userId] })
  return rows.map(row => leavingSchema.parse(row))
}

interface LeavingPerson {
  userId: string
  leaving: readonly LeavingEntry[]
  /** Every table, by `findTables`. */
  tables: readonly TableOfRows[]
  receivers: Receivers
}

/**
 * The statements that remove a person from all organizations, deleted ones included. They hand over the rows that stay.
 * Organizations that `listLeaving` marks as deleted are removed with their rows. For a transaction.
 */
export function leaveAllStatements(app: App, { userId, leaving, tables, receivers }: LeavingPerson): InStatement[] {
  const gone = leaving.filter(({ fate }) => fate === 'deleted')
  const handedOver = tables.filter(isHandedOver)
  const memberships = { sql: 'm.user_id = ?', args: [userId] }
  return [
    ...endMembershipsStatements(app, { memberships, tables: handedOver, receivers }),
    ...handOverStatements(handedOver, memberships, { members: 'fw_suspended_members', now: app.now().getTime() }),
    { sql: 'delete from fw_suspended_members where user_id = ?', args: [userId] },
    ...gone.flatMap(({ id }) => [
      ...ofAuthors(app, tables).map(({ quoted }) => ({ sql: `delete from ${quoted} where org_id = ?`, args: [id] })),
      ...forgetStatements(app, id),
    ]),
  ]
}
