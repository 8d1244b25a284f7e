// In SQLite, the `order by` of a correlated subquery inside `on` cannot use an outer column. The active organization is therefore
// found by `coalesce` of two subqueries.
import type { App } from '#fairway/server/kernel/app-context'
import { checkSecondFactorSetUp, secondFactorColumns, secondFactorOf, type SecondFactorRow } from './second-factor'
import { connectionIdOf } from '#fairway/shared/connection-provider'
import { connectionStartPath } from '#fairway/shared/paths'
import type { ClosedOrg, Session } from '#fairway/shared/schemas/session'
import type { SessionPolicyReason } from '#fairway/shared/schemas/session-policy'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { ACTIVE_ORG_SETTING, PEOPLE, settingJoin } from '#fairway/server/domains/people'
import {
  MANAGED_ROLES,
  managesRole,
  mayInOrg,
  ORG_PERMISSIONS,
  ORG_ROLES,
  type OrgPermission,
  type OrgRole,
} from '#fairway/shared/roles'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { newId } from '#fairway/server/kernel/crypto/random'
import { type SessionPolicyRow, sessionPolicyColumns, sessionPolicyReason } from './session-policy'
import { corporateDomainOf, DOMAIN_HOLDS } from './domain-names'
import { meetsSignInRule, type SignInProof, signInRuleColumns, type SignInRuleRow, toClosedOrg } from './sign-in-rule'
import { newSlugSql, ORG_OF_SLUG } from './org-slugs'
import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'

/** The organization a person works in, or nulls. `closedOrg` is set instead when its sign-in rule excludes them. */
export type OrgContext = Pick<Session, 'orgId' | 'orgName' | 'orgSlug' | 'orgRole' | 'closedOrg' | 'secondFactor'>

interface Person extends SignInProof {
  userId: string
  email: string
  name: string
}

/** The columns that `orgContextJoin` adds; all null for a person without an organization. */
export interface OrgContextRow extends SecondFactorRow, SignInRuleRow, SessionPolicyRow {
  orgId: string | null
  orgName: string | null
  orgSlug: string | null
  orgRole: OrgRole | null
  /** The stored choice: an id, an empty text for "without an organization", null when there is no choice yet. */
  chosenOrgId: string | null
}

const ruleColumns = `o.id as orgId, o.name as orgName, o.slug as orgSlug, m.role as orgRole,
  ${signInRuleColumns}, ${sessionPolicyColumns}, ${secondFactorColumns}`

export const orgContextColumns = `${ruleColumns}, a.value as chosenOrgId`

/** The columns of an `OrgContextRow` that `membershipJoin` adds: one organization, regardless of the person's choice. */
export const membershipColumns = `${ruleColumns}, null as chosenOrgId`

/** Joins the membership (`m`) of a user (`u`) in the organization (`o`) with the id in this column; keeps non-members. */
export const membershipJoin = (orgId: string, join: 'join' | 'left join' = 'join'): string =>
  `${join} org_members m on m.org_id = ${orgId} and m.user_id = u.id ${join} organizations o on o.id = m.org_id`

/** The same for the organization with a slug, or with a former one. Its values: the slug, twice. */
export const slugJoin = membershipJoin(ORG_OF_SLUG, 'left join')

/** Joins the one organization a user (`u`) works in: the chosen one while they are a member, else the oldest membership. */
export const orgContextJoin = `
  left ${settingJoin('a', ACTIVE_ORG_SETTING)}
  left join org_members m on m.user_id = u.id and coalesce(a.value, '-') <> '' and m.org_id = coalesce(
    (select c.org_id from org_members c where c.user_id = u.id and c.org_id = a.value),
    (select x.org_id from org_members x where x.user_id = u.id order by x.joined_at, x.org_id limit 1))
  left join organizations o on o.id = m.org_id`

const FIND = `select ${orgContextColumns} from ${PEOPLE} ${orgContextJoin} where u.id = ?`

/** Resolves a person's active organization in one statement. The first time, it creates the default one (SPEC: States). */
export async function findOrgContext(app: App, person: Person): Promise<OrgContext> {
  const row = await findRow(app, person.userId)
  return row ? completeOrgContext(app, person, row) : NOWHERE
}

/** Whether a person has no organization and has not chosen to have none. Then one may be created for them. */
export const isUndecided = ({ orgId, chosenOrgId }: OrgContextRow): boolean => orgId === null && chosenOrgId !== ''

/** The context of a row of `orgContextJoin`. A person without any membership may get the default organization here. */
export async function completeOrgContext(app: App, person: Person, row: OrgContextRow): Promise<OrgContext> {
  if (isUndecided(row) && (await createDefaultOrganization(app, person))) return findOrgContext(app, person)
  return openOrgContext(app, row, person)
}

/**
 * The only place that checks an organization's sign-in rule: the required provider must have proved the session. Other sessions
 * get no `orgId` at all, so a forgotten check cannot read or write in it.
 */
export function openOrgContext(app: App, row: Omit<OrgContextRow, 'chosenOrgId'>, proof: SignInProof): OrgContext {
  const { orgId, orgName, orgSlug, orgRole } = row
  const org = { id: orgId ?? '', name: orgName ?? '' }
  const reason = orgId === null ? undefined : sessionPolicyReason(app, row, proof.times)
  const meetsRule = proof.isMachine === true || meetsSignInRule(row, proof)
  if (reason && meetsRule) return { ...NOWHERE, closedOrg: ofOwner(row, toPolicyClosed(org, row, reason)) }
  if (orgId === null || meetsRule) {
    const secondFactor = proof.isMachine ? undefined : secondFactorOf(app, row, proof)
    if (!secondFactor) return { orgId, orgName, orgSlug, orgRole }
    return secondFactor.isOver
      ? { ...NOWHERE, closedOrg: { ...org, ...NO_PROVIDER }, secondFactor }
      : { orgId, orgName, orgSlug, orgRole, secondFactor }
  }
  return { ...NOWHERE, closedOrg: ofOwner(row, toClosedOrg(app, org, row)) }
}

const ofOwner = ({ orgRole }: { orgRole: OrgRole | null }, closed: ClosedOrg): ClosedOrg =>
  orgRole === 'owner' ? { ...closed, isOwner: true } : closed

/** Returns the organization a person works in, even if it is closed to them. */
export async function findActiveOrg(app: App, userId: string): Promise<{ id: string; name: string } | null> {
  const row = await findRow(app, userId)
  return row?.orgId ? { id: row.orgId, name: row.orgName ?? '' } : null
}

/** An organization that waits for a second factor is not opened by a provider. */
const NO_PROVIDER = { provider: '', providerName: '', signIn: null, isOwnProvider: false }

const NOWHERE = { orgId: null, orgName: null, orgSlug: null, orgRole: null } as const

async function findRow(app: App, userId: string): Promise<OrgContextRow | undefined> {
  const find = app.memo('find-org-context', () => app.db.prepareRead<OrgContextRow>(FIND))
  const [row] = await find([userId])
  return row
}

/** Describes an organization that its session policy closes. A new sign-in opens it, by the required provider if there is one. */
function toPolicyClosed(org: { id: string; name: string }, row: SignInRuleRow, reason: SessionPolicyReason): ClosedOrg {
  const connection = connectionIdOf(row.requiredProvider ?? '')
  const again = connection === undefined ? signInPathFor({ again: true }) : connectionStartPath(connection)
  return { ...org, ...NO_PROVIDER, signIn: reason === 'network' ? null : again, reason }
}

const POLICY_DETAILS = new Map([
  ['idle', 'You were away for longer than this organization allows. Sign in again.'],
  ['age', 'Your sign-in is older than this organization allows. Sign in again.'],
  ['network', 'This organization can only be opened from its own networks.'],
])

/**
 * Throws `second-factor-setup-required`, `session-policy` or `provider-required` when the session's organization is closed to it.
 */
export function checkOrgOpens(session: Pick<Session, 'closedOrg' | 'secondFactor'> | null): void {
  checkSecondFactorSetUp(session)
  if (!session?.closedOrg) return
  const { id, name, provider, providerName, domain, signIn, reason } = session.closedOrg
  if (reason) {
    throw new AppError('session-policy', {
      detail: POLICY_DETAILS.get(reason),
      extra: { organization: { id, name }, reason, wayBack: signIn },
    })
  }
  throw new AppError('provider-required', {
    detail: `Sign in with ${providerName}${domain ? `, with an account of ${domain},` : ''} to work in ${name}.`,
    extra: { organization: { id, name }, provider, providerName, domain, signIn },
  })
}

/** The person and organization of an action, from this request's session. */
export interface Actor {
  userId: string
  email: string
  orgId: string
  orgName: string
  role: OrgRole
  /** Of who asks: an operator may act for an owner. */
  session: Session
}

/** The person's organization and role. Throws `provider-required`, `no-organization`, and `forbidden` without the permission. */
export function requireOrg(session: Session, permission: OrgPermission): Actor {
  checkOrgOpens(session)
  const { userId, email, orgId, orgName, orgRole } = session
  if (!orgId || !orgRole) throw new AppError('no-organization')
  if (!mayInOrg(orgRole, permission)) {
    throw new AppError('forbidden', { detail: 'Ask an owner or an admin of your organization.' })
  }
  return { userId, email, orgId, orgName: orgName ?? '', role: orgRole, session }
}

/** SQL: whether a person has this permission at this moment. The values are the IDs of the organization and the person. */
export const managesSql = (permission: OrgPermission): string =>
  `exists (select 1 from org_members where org_id = ? and user_id = ? and role in (${ORG_PERMISSIONS[permission]
    .map(role => `'${role}'`)
    .join(', ')}))`

/**
 * Throws `forbidden` when the actor may not give this role. Adding an owner is as powerful as a transfer of the organization. It
 * therefore throws `fresh-session-required` without a sign-in in the past 15 minutes, which tokens and programs never have.
 */
export async function checkMayGive(actor: Actor, role: OrgRole): Promise<void> {
  if (!managesRole(actor.role, role)) throw new AppError('forbidden', { detail: `You cannot make somebody ${role}.` })
  if (role === 'owner' && !(await requireRun().hasRecentSignIn?.()))
    throw new AppError('fresh-session-required', { detail: 'Sign in again in the app to add an owner.' })
}

const IS_MEMBER = 'exists (select 1 from org_members where user_id = ?)'
const INVITER_ROLES = ORG_ROLES.flatMap(inviter => MANAGED_ROLES[inviter].map(role => `('${inviter}', '${role}')`))

/**
 * The condition that an invitation (`i`) can be accepted; its parameter is the current time. The invitation is pending and not
 * expired. Its inviter is still a member who may give that role. Lists that show invitations and statements that accept them
 * share it.
 */
export const INVITATION_IS_OPEN = `i.status = 'pending' and i.expires_at > ? and exists (select 1 from org_members b
  where b.org_id = i.org_id and b.user_id = i.invited_by and (b.role, i.role) in (values ${INVITER_ROLES.join(', ')}))`
const IS_INVITED = `exists (select 1 from org_invitations i where i.email = ? and ${INVITATION_IS_OPEN})`
const HAS_DOMAIN = `exists (select 1 from organizations o where o.allowed_domain = ? and ${DOMAIN_HOLDS})`

/**
 * Creates the first organization of a person who has none, is not invited and whose domain no organization has. Returns true when
 * the person is a member afterwards. Concurrent requests in all processes create one.
 */
async function createDefaultOrganization(app: App, person: Omit<Person, 'provider'>): Promise<boolean> {
  if (!app.config.autoCreateDefaultOrg) return false
  const email = person.email.toLowerCase()
  const now = app.now().getTime()
  const domain = corporateDomainOf(email)
  const conditions = `not ${IS_MEMBER} and not ${IS_INVITED} and not ${HAS_DOMAIN}`
  const args = [person.userId, email, now, domain]
  const { rows } = await app.db.client.execute({
    sql: `select ${IS_MEMBER} as isMember, ${conditions} as isDue`,
    args: [person.userId, ...args],
  })
  if (rows[0]?.isDue !== 1) return rows[0]?.isMember === 1
  const id = newId()
  const name = defaultOrganizationName(person)
  const slug = newSlugSql(name)
  const [created] = await app.db.client.batch(
    [
      {
        sql: `insert into organizations (id, name, slug, created_by, created_at) select ?, ?, ${slug.sql}, ?, ? where ${conditions}`,
        args: [id, name, ...slug.args, person.userId, now, ...args],
      },
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) select id, created_by, 'owner', ? from organizations where id = ?`,
        args: [now, id],
      },
    ],
    'write',
  )
  if (created?.rowsAffected === 1) app.log.info('default organization created', { orgId: id, userId: person.userId })
  return true
}

/** "Ada Lovelace's organization", in the default language; without a name, with the readable first part of the address. */
function defaultOrganizationName({ name, email }: { name: string; email: string }): string {
  const local = email.split('@')[0] ?? ''
  const words = local.split(/[._-]+/).filter(Boolean)
  const readable = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  const owner = (name.trim() || readable).slice(0, 80)
  const { named, unnamed } = messagesOf(offered.defaultLanguage).defaultOrganization
  return owner ? fill(named, { name: owner }) : unnamed
}
