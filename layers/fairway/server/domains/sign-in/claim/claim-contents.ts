import { deviceInWords, readDevice } from '#fairway/server/domains/people'
import { BROUGHT_IN } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { offered } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'

export interface Claimant {
  userId: string
  email: string
  /** The session that decides and stays signed in. Null for sessions without a row. */
  sessionId: string | null
}

/** A sign-in method or a piece of data of the account; never a value. */
export interface ClaimEntry {
  text: string
  /** Since when, in milliseconds. */
  at: number | null
  /** Whether it stays when other access is removed. */
  isKept: boolean
}

interface ClaimOrganization {
  name: string
  /** The other members. Members that this account has not brought in stay. */
  members: ClaimEntry[]
}

export interface ClaimContents {
  opens: Record<(typeof OPENS)[number], ClaimEntry[]>
  holds: Record<(typeof HOLDS)[number], ClaimEntry[]>
  organizations: ClaimOrganization[]
  /** Memberships of the account in organizations of other people. */
  memberships: ClaimEntry[]
}

interface Row {
  text: string
  at: number | null
  isKept: number
  /** For sessions only. */
  userAgent?: string
  address?: string | null
}

/**
 * Matches the row of `accounts` that belongs to the deciding sign-in. This is the link of its provider with this address,
 * because a stranger may have linked another account of the same provider. Or it is the password set through the same mail.
 * A password that is only newer than the claim proves nothing: a stranger who knew the old one may have changed it.
 */
export const OWN_PROOF = `exists (select 1 from sessions s join users u on u.id = s.user_id
  where s.id = ? and s.user_id = accounts.user_id and accounts.updated_at >= u.claim_since and case accounts.provider_id
    when 'credential' then s.provider = 'password' and s.created_at >= accounts.updated_at
    else s.provider = accounts.provider_id and accounts.provider_email = u.email end)`

type Find = (claimant: Claimant, now: number) => { sql: string; args: (string | number | null)[] }

const OPENS = ['password', 'passkeys', 'secondFactor', 'providers', 'sessions', 'apps'] as const
const HOLDS = ['credentials', 'connections', 'shares', 'invitations'] as const

/** The statements behind the page. Each returns `text`, `at` and `isKept`. */
const finds: Record<(typeof OPENS)[number] | (typeof HOLDS)[number] | 'memberships', Find> = {
  password: ({ userId, sessionId }) => ({
    sql: `select '' as text, updated_at as at, ${OWN_PROOF} as isKept from accounts
      where user_id = ? and provider_id = 'credential' and password is not null`,
    args: [sessionId, userId],
  }),
  passkeys: ({ userId }) => ({
    sql: 'select name as text, created_at as at, 0 as isKept from passkeys where user_id = ? order by created_at, id',
    args: [userId],
  }),
  secondFactor: ({ userId }) => ({
    sql: `select '' as text, active_at as at, 0 as isKept from two_factor where user_id = ? and active_at is not null`,
    args: [userId],
  }),
  providers: ({ userId, sessionId }) => ({
    sql: `select provider_id as text, created_at as at, ${OWN_PROOF} as isKept from accounts
      where user_id = ? and provider_id <> 'credential' order by created_at, id`,
    args: [sessionId, userId],
  }),
  sessions: ({ userId, sessionId }, now) => ({
    sql: `select '' as text, coalesce(user_agent, '') as userAgent, ip_address as address, created_at as at, id is ? as isKept from sessions
      where user_id = ? and expires_at > ? order by created_at, id`,
    args: [sessionId, userId, now],
  }),
  apps: ({ userId }, now) => ({
    sql: `select client_name as text, created_at as at, 0 as isKept from oauth_grants
      where user_id = ? and revoked_at is null and expires_at > ? order by created_at, id`,
    args: [userId, now],
  }),
  credentials: ({ userId }) => ({
    sql: `select v.key || coalesce(' · ' || o.name, '') as text, v.updated_at as at, 0 as isKept
      from vault_credentials v left join organizations o on o.id = v.org_id
      where v.user_id = ? or v.org_id in (select id from organizations where created_by = ?) order by v.updated_at, v.id`,
    args: [userId, userId],
  }),
  connections: ({ userId }) => ({
    sql: `select provider || coalesce(' · ' || account_label, '') as text, connected_at as at, 0 as isKept from oauth_tokens
      where user_id = ? order by provider`,
    args: [userId],
  }),
  shares: ({ userId }) => ({
    sql: `select s.resource || ' · ' || coalesce(u.email, t.name) as text, s.shared_at as at, 0 as isKept from shares s
      left join users u on u.id = s.user_id left join fw_teams t on t.id = s.user_id
      where s.shared_by = ? order by s.shared_at, s.resource_id`,
    args: [userId],
  }),
  invitations: ({ userId }, now) => ({
    sql: `select i.email || ' · ' || o.name as text, i.created_at as at, 0 as isKept
      from org_invitations i join organizations o on o.id = i.org_id where i.status = 'pending' and i.expires_at > ?
      and (i.invited_by = ? or (i.org_id, i.invited_by) in (${BROUGHT_IN})) order by i.created_at, i.id`,
    args: [now, userId, userId],
  }),
  memberships: ({ userId }) => ({
    sql: `select o.name as text, m.joined_at as at, 1 as isKept from org_members m join organizations o on o.id = m.org_id
      where m.user_id = ? and o.created_by <> ? order by m.joined_at, o.id`,
    args: [userId, userId],
  }),
}

const FIND_ORGANIZATIONS = `
  select o.id as orgId, o.name as orgName, u.email as text, m.joined_at as at, (o.id, u.id) not in (${BROUGHT_IN}) as isKept
  from organizations o left join org_members m on m.org_id = o.id and m.user_id <> ? left join users u on u.id = m.user_id
  where o.created_by = ? order by o.created_at, o.id, m.joined_at, m.user_id`

/** The other sign-in methods of an account whose address was just proved, its data, and the members of its organizations. */
export async function readClaimContents(
  app: App,
  claimant: Claimant,
  language: Language = offered.defaultLanguage,
): Promise<ClaimContents> {
  const now = app.now().getTime()
  const read = async (name: keyof typeof finds): Promise<ClaimEntry[]> => {
    const { sql, args } = finds[name](claimant, now)
    return Promise.all((await app.db.prepareRead<Row>(sql)(args)).map(row => toEntry(row, language)))
  }
  const readAll = async <Name extends keyof typeof finds>(names: readonly Name[]) =>
    Object.fromEntries(await Promise.all(names.map(async name => [name, await read(name)]))) as Record<
      Name,
      ClaimEntry[]
    >
  const [opens, holds, organizations, memberships] = await Promise.all([
    readAll(OPENS),
    readAll(HOLDS),
    readOrganizations(app, claimant),
    read('memberships'),
  ])
  return { opens, holds, organizations, memberships }
}

async function toEntry(
  { text, at, isKept, userAgent, address }: Row,
  language: Language = offered.defaultLanguage,
): Promise<ClaimEntry> {
  if (userAgent === undefined) return { text, at, isKept: isKept === 1 }
  const device = deviceInWords(await readDevice(userAgent), language)
  return { text: address ? `${device} · ${address}` : device, at, isKept: isKept === 1 }
}

async function readOrganizations(app: App, { userId }: Claimant): Promise<ClaimOrganization[]> {
  const find = app.db.prepareRead<Omit<Row, 'text'> & { text: string | null; orgId: string; orgName: string }>(
    FIND_ORGANIZATIONS,
  )
  const organizations = new Map<string, ClaimOrganization>()
  for (const { orgId, orgName, text, ...row } of await find([userId, userId, userId])) {
    const org = organizations.get(orgId) ?? { name: orgName, members: [] }
    if (text !== null) org.members.push(await toEntry({ ...row, text }))
    organizations.set(orgId, org)
  }
  return [...organizations.values()]
}
