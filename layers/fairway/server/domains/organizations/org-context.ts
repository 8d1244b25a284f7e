// SQLite does not see an outer column in the `order by` of a correlated subquery inside `on`: the active organization is found by
// `coalesce` of two subqueries.
import { domainToASCII } from 'node:url'
import freeMailDomains from 'email-providers/all.json' with { type: 'json' }
import { getDomain, getPublicSuffix } from 'tldts'
import type { App } from '#fairway/server/kernel/app-context'
import { checkSecondFactorSetUp, secondFactorColumns, secondFactorOf, type SecondFactorRow } from './second-factor'
import type { Session, ClosedOrg } from '#fairway/shared/schemas/session'
import { ACTIVE_ORG_SETTING, PEOPLE, personJoin, settingJoin } from '#fairway/server/domains/people'
import {
  MANAGED_ROLES,
  managesRole,
  mayInOrg,
  ORG_ROLES,
  type OrgPermission,
  type OrgRole,
} from '#fairway/shared/roles'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { IDENTITY_LOGIN_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { newId } from '#fairway/server/kernel/crypto/random'

/** The organization a person works in, or nulls; `closedOrg` instead where its sign-in rule does not open it to them. */
export type OrgContext = Pick<Session, 'orgId' | 'orgName' | 'orgRole' | 'closedOrg' | 'secondFactor'>

/** What an organization's sign-in rule compares. */
interface SignInProof {
  /** How they proved who they are: the provider of the session, or the surface where there is none. */
  provider: string
  /** The domain or tenant that the provider vouched for. */
  providerDomain?: string | null
}

interface Person extends SignInProof {
  userId: string
  email: string
  name: string
}

/** The columns that `orgContextJoin` adds; all null for a person who is in no organization or works without one. */
export interface OrgContextRow extends SecondFactorRow {
  orgId: string | null
  orgName: string | null
  orgRole: OrgRole | null
  requiredProvider: string | null
  /** The domain or tenant that the account at that provider has to belong to; null for any. */
  requiredDomain: string | null
  /** The stored choice: an id, an empty text for "without an organization", null when nothing was chosen yet. */
  chosenOrgId: string | null
}

const ruleColumns = `o.id as orgId, o.name as orgName, m.role as orgRole, o.required_auth_provider as requiredProvider,
  o.required_auth_domain as requiredDomain, ${secondFactorColumns}`

export const orgContextColumns = `${ruleColumns}, a.value as chosenOrgId`

/** The sign-in rule of an organization (`o`) as a condition of statements that write; the row `proof` has the columns `provider` and `provider_domain`. */
export const orgOpensTo = (proof: string): string =>
  `(o.required_auth_provider is null or (o.required_auth_provider is ${proof}.provider
    and (o.required_auth_domain is null or o.required_auth_domain is ${proof}.provider_domain)))`

/** The columns of an `OrgContextRow` that `membershipJoin` adds: one organization, whatever the person has chosen. */
export const membershipColumns = `${ruleColumns}, null as chosenOrgId`

/** Joins the membership (`m`) of a user (`u`) in the organization (`o`) whose id is in this column; a left join keeps people who are no member. */
export const membershipJoin = (orgId: string, join: 'join' | 'left join' = 'join'): string =>
  `${join} org_members m on m.org_id = ${orgId} and m.user_id = u.id ${join} organizations o on o.id = m.org_id`

/** Joins the one organization a user (`u`) works in: the chosen one while they are a member, else the oldest membership. */
export const orgContextJoin = `
  left ${settingJoin('a', ACTIVE_ORG_SETTING)}
  left join org_members m on m.user_id = u.id and coalesce(a.value, '-') <> '' and m.org_id = coalesce(
    (select c.org_id from org_members c where c.user_id = u.id and c.org_id = a.value),
    (select x.org_id from org_members x where x.user_id = u.id order by x.joined_at, x.org_id limit 1))
  left join organizations o on o.id = m.org_id`

const FIND = `select ${orgContextColumns} from ${PEOPLE} ${orgContextJoin} where u.id = ?`

/** Resolves the active organization of a person in one statement; the first time, the default organization is made (SPEC: States). */
export async function findOrgContext(app: App, person: Person): Promise<OrgContext> {
  const row = await findRow(app, person.userId)
  return row ? completeOrgContext(app, person, row) : NOWHERE
}

/** Whether a person has no organization and has not chosen to have none: one may be made for them. */
export const isUndecided = ({ orgId, chosenOrgId }: OrgContextRow): boolean => orgId === null && chosenOrgId !== ''

/** The context of a row that was read with `orgContextJoin`; a person without any membership may get the default organization here. */
export async function completeOrgContext(app: App, person: Person, row: OrgContextRow): Promise<OrgContext> {
  if (isUndecided(row) && (await createDefaultOrganization(app, person))) return findOrgContext(app, person)
  return openOrgContext(app, row, person)
}

/**
 * The one place that asks for an organization's sign-in rule: it opens to what was proved by its provider. Everybody else
 * gets none of its members, so that nothing can be read or written in it by forgetting to ask.
 */
export function openOrgContext(
  app: App,
  row: Omit<OrgContextRow, 'chosenOrgId'>,
  { provider, providerDomain }: SignInProof,
): OrgContext {
  const { orgId, orgName, orgRole, requiredProvider, requiredDomain } = row
  const isMet = requiredProvider === provider && (requiredDomain === null || requiredDomain === providerDomain)
  const org = { id: orgId ?? '', name: orgName ?? '' }
  if (orgId === null || requiredProvider === null || isMet) {
    const secondFactor = secondFactorOf(app, row, provider)
    if (!secondFactor) return { orgId, orgName, orgRole }
    return secondFactor.isOver
      ? { ...NOWHERE, closedOrg: { ...org, ...NO_PROVIDER }, secondFactor }
      : { orgId, orgName, orgRole, secondFactor }
  }
  return { ...NOWHERE, closedOrg: toClosedOrg(app, org, requiredProvider, requiredDomain) }
}

/** Which organization a person works in, whether it opens to them or not. */
export async function findActiveOrg(app: App, userId: string): Promise<{ id: string; name: string } | null> {
  const row = await findRow(app, userId)
  return row?.orgId ? { id: row.orgId, name: row.orgName ?? '' } : null
}

/** What opens an organization that waits for a second factor is no provider. */
const NO_PROVIDER = { provider: '', providerName: '', signIn: null, isOwnProvider: false }

const NOWHERE = { orgId: null, orgName: null, orgRole: null } as const

async function findRow(app: App, userId: string): Promise<OrgContextRow | undefined> {
  const find = app.memo('find-org-context', () => app.db.prepareRead<OrgContextRow>(FIND))
  const [row] = await find([userId])
  return row
}

interface RequirableProvider {
  id: string
  name: string
  signIn: string
  isOwnProvider: boolean
}

/** The providers that an organization can ask for, because sessions are made by them here, and where signing in with each begins. */
export function requirableProviders({ config }: App): RequirableProvider[] {
  const { client, trustedProviders } = config.identity
  const own = config.signInProviders.map(({ id, name }) => ({
    id,
    name,
    signIn: signInPathFor({ again: true }),
    isOwnProvider: true,
  }))
  const hub = client && !client.isDesktopOnly && !config.customSignIn ? trustedProviders : []
  const throughHub = hub
    .filter(id => own.every(provider => provider.id !== id))
    .map(id => ({ id, name: id, signIn: `${IDENTITY_LOGIN_PATH}?${SIGN_IN_AGAIN}=1`, isOwnProvider: false }))
  return [...own, ...throughHub]
}

/** What is told of an organization that does not open: which it is, and the way to open it. */
function toClosedOrg(
  app: App,
  org: { id: string; name: string },
  provider: string,
  requiredDomain: string | null,
): ClosedOrg {
  // Where people sign in elsewhere, only that place knows its providers.
  const elsewhere = { name: provider, signIn: app.config.customSignIn ? SIGN_IN_PATH : null, isOwnProvider: false }
  const { name, signIn, isOwnProvider } = requirableProviders(app).find(({ id }) => id === provider) ?? elsewhere
  const domain = requiredDomain === null ? {} : { domain: requiredDomain }
  return { ...org, provider, providerName: name, ...domain, signIn, isOwnProvider }
}

/** Throws `second-factor-setup-required`, and `provider-required` with the way to go, when the organization that this session works in does not open to it. */
export function checkOrgOpens(session: Pick<Session, 'closedOrg' | 'secondFactor'> | null): void {
  checkSecondFactorSetUp(session)
  if (!session?.closedOrg) return
  const { id, name, provider, providerName, domain, signIn } = session.closedOrg
  throw new AppError('provider-required', {
    detail: `Sign in with ${providerName}${domain ? `, with an account of ${domain},` : ''} to work in ${name}.`,
    extra: { organization: { id, name }, provider, providerName, domain, signIn },
  })
}

/** Who acts in which organization, as this request's session says. */
export interface Actor {
  userId: string
  email: string
  orgId: string
  orgName: string
  role: OrgRole
}

/** The organization that a person works in and what they are there; throws `provider-required`, `no-organization`, and `forbidden` when the role may not do this. */
export function requireOrg(session: Session, permission: OrgPermission): Actor {
  checkOrgOpens(session)
  const { userId, email, orgId, orgName, orgRole } = session
  if (!orgId || !orgRole) throw new AppError('no-organization')
  if (!mayInOrg(orgRole, permission)) {
    throw new AppError('forbidden', { detail: 'Ask an owner or an admin of your organization.' })
  }
  return { userId, email, orgId, orgName: orgName ?? '', role: orgRole }
}

/**
 * The condition that the domain of an organization (`o`) lets people join: one of its owners has a confirmed address there. It ends
 * when the last such owner changes the address, leaves or is no owner any more; then another organization may take the domain.
 */
export const DOMAIN_HOLDS = `exists (select 1 from org_members w ${personJoin('w.user_id')} where w.org_id = o.id
  and w.role = 'owner' and u.email_verified = 1 and substr(u.email, instr(u.email, '@') + 1) = o.allowed_domain)`

/**
 * Throws `forbidden` when the actor may not give this role. Adding an owner is as strong as transferring the organization, so it
 * throws `fresh-session-required` without a sign-in of the last 15 minutes; tokens and programs never have one.
 */
export async function checkMayGive(actor: Actor, role: OrgRole): Promise<void> {
  if (!managesRole(actor.role, role)) throw new AppError('forbidden', { detail: `You cannot make somebody ${role}.` })
  if (role === 'owner' && !(await requireRun().hasRecentSignIn?.()))
    throw new AppError('fresh-session-required', { detail: 'Sign in again in the app to add an owner.' })
}

const IS_MEMBER = 'exists (select 1 from org_members where user_id = ?)'
const INVITER_ROLES = ORG_ROLES.flatMap(inviter => MANAGED_ROLES[inviter].map(role => `('${inviter}', '${role}')`))

/**
 * The condition that an invitation (`i`) can be accepted; its value is the time now. The invitation is pending and has not expired,
 * and its inviter is still a member who may give that role. Lists that offer invitations and the statements that accept them share it.
 */
export const INVITATION_IS_OPEN = `i.status = 'pending' and i.expires_at > ? and exists (select 1 from org_members b
  where b.org_id = i.org_id and b.user_id = i.invited_by and (b.role, i.role) in (values ${INVITER_ROLES.join(', ')}))`
const IS_INVITED = `exists (select 1 from org_invitations i where i.email = ? and ${INVITATION_IS_OPEN})`
const HAS_DOMAIN = `exists (select 1 from organizations o where o.allowed_domain = ? and ${DOMAIN_HOLDS})`

/**
 * Makes the first organization of a person who has none, is not invited and whose domain no organization has; true when the
 * person is a member afterwards. Any number of requests at once, in any number of processes, make one.
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
  const [created] = await app.db.client.batch(
    [
      {
        sql: `insert into organizations (id, name, created_by, created_at) select ?, ?, ?, ? where ${conditions}`,
        args: [id, defaultOrganizationName(person), person.userId, now, ...args],
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

/** "Ada Lovelace's organization"; without a name the first part of the address is made readable. */
function defaultOrganizationName({ name, email }: { name: string; email: string }): string {
  const local = email.split('@')[0] ?? ''
  const words = local.split(/[._-]+/).filter(Boolean)
  const readable = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  return `${(name.trim() || readable || 'My').slice(0, 80)}'s organization`
}

const freeMail = new Set(freeMailDomains)

/** The domain of an address or a typed domain in its one form: ASCII (IDNA), lower case, no final dot; empty when it is none. */
export function normalDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/^@/, '').replace(/\.$/, '')).toLowerCase()
  return /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(domain) ? domain : ''
}

/** The normal domain of an email address. */
export const domainOf = (email: string): string => normalDomain(email.slice(email.lastIndexOf('@') + 1))

/** True for domains that give addresses to everyone. */
export const isFreeMailDomain = (domain: string): boolean =>
  freeMail.has(domain) || freeMail.has(getDomain(domain) ?? '')

/** True for names like `co.uk` below which strangers have their domains. */
export const isPublicSuffix = (domain: string): boolean =>
  getPublicSuffix(domain, { allowPrivateDomains: true }) === domain

/** The domain of an address when it can belong to one company, else an empty text, which no organization has. */
export function corporateDomainOf(email: string): string {
  const domain = domainOf(email)
  return isFreeMailDomain(domain) ? '' : domain
}
