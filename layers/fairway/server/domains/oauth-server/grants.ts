// A grant is one consent, and the family of everything issued from it. Each use of a code or a token checks it in its own
// statement.
import { z } from 'zod'
import {
  mayOpenSql,
  personJoin,
  shownPersonSql,
  suspendedUntilSql,
  toShownPerson,
} from '#fairway/server/domains/people'
import { type Actor, membershipJoin, orgOpensTo, orgsOf } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import type { InStatement } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import type { ConnectedApp, OrganizationGrant, PersonalToken } from '#fairway/shared/schemas/connection'
import type { Session } from '#fairway/shared/schemas/session'
import { GRANT_SCOPES, SCOPE_WORDS, WRITE_WITHOUT_DELETE } from '#fairway/shared/scopes'
import { workingIn } from '#fairway/shared/org-path'
import { isIdle, UNUSED_AFTER_IN_MS, unusedParts, USE_COLUMNS, usedAtOf, type UseTimes } from './grant-use'
import { hasRootSecret } from './root-mark'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** A refresh token expires when it is unused for this long. */
export const REFRESH_IDLE_IN_MS = 30 * DAY_IN_MS
/** A connection ends this long after the consent, however often it is renewed. */
export const GRANT_LIFE_IN_MS = 90 * DAY_IN_MS

type LiveConfig = Pick<Config, 'environment' | 'authDisabled' | 'customSignIn' | 'signIn' | 'keys'>

/** Joins a grant (`g`) with its person (`u`), membership (`m`) and organization (`o`). All of them are required for access. */
export const grantJoins = `${personJoin('g.user_id')} ${membershipJoin('g.org_id')}`

/** Whether the person (`u`) may act through a host, by the provider of the session that approved it (`g.provider`). */
const mayAct = (config: LiveConfig): string => mayOpenSql(config, 'g.provider')

/** The same in the organization (`o`). */
export const mayConnect = (config: LiveConfig): string => `${mayAct(config)} and ${orgOpensTo('g')}`

/**
 * Whether a grant (with `grantJoins`) has not ended, regardless of its organization's sign-in rule. Its one parameter is the time
 * in milliseconds.
 */
export const isUnended = (config: LiveConfig): string =>
  `g.revoked_at is null and g.expires_at > ? and ${hasRootSecret(config)} and ${mayAct(config)}`

/**
 * The condition under which a grant (with `grantJoins`) allows access. Its one parameter is the time in milliseconds. That must
 * be after a suspension of the person and before the end of the grant.
 */
export const isLive = (config: LiveConfig): string =>
  `g.revoked_at is null and ? between ${suspendedUntilSql('u')} and g.expires_at - 1
    and ${hasRootSecret(config)} and ${mayAct(config)} and ${orgOpensTo('g')}`

/** The same for a statement that names the grant by a column. Its one parameter is the time in milliseconds. */
export const hasLiveGrant = (config: LiveConfig, grantId: string): string =>
  `exists (select 1 from oauth_grants g ${grantJoins} where g.id = ${grantId} and ${isLive(config)})`

/** Whether space-separated scopes have this one. */
export const hasScope = (scopes: string, scope: string): string => `instr(' ' || ${scopes} || ' ', ' ${scope} ') > 0`

/** The columns of a grant (`g`) and its person (`u`) that a token is made from. */
export const grantColumns = `g.id as grantId, g.client_id as clientId, g.user_id as userId, u.email as email, g.org_id as orgId,
  g.scope as scope, g.expires_at as expiresAt`

/** The same as one JSON object, because `returning` of another table can only select one value. */
export const grantObject = `json_object('grantId', g.id, 'clientId', g.client_id, 'userId', g.user_id, 'email', u.email, 'orgId', g.org_id,
  'scope', g.scope, 'expiresAt', g.expires_at)`

const grantRowSchema = z.object({
  grantId: z.string(),
  clientId: z.string(),
  userId: z.string(),
  email: z.string(),
  orgId: z.string(),
  /** Space-separated: all approved scopes. */
  scope: z.string(),
  /** When the grant ends, in milliseconds. */
  expiresAt: z.number(),
})

export type GrantRow = z.output<typeof grantRowSchema>

/** Parses a row that was read with `grantColumns`; undefined when there is none. */
export const toGrantRow = (row: unknown): GrantRow | undefined =>
  row === undefined ? undefined : grantRowSchema.parse(row)

/** Parses a row that was read as `grantObject`. */
export const parseGrantObject = (text: unknown): GrantRow => grantRowSchema.parse(JSON.parse(z.string().parse(text)))

/**
 * The stored reason why a grant has ended. Other domains add `membership-ended`, `organization-deleted`, `sign-in-rule` and
 * `claimed`, sign-in adds `two-factor-on`, a new consent adds `replaced`, and owners `client-deleted` and `managed-agents-off`.
 */
type EndReason = 'person' | 'admin' | 'host' | 'code-replay' | 'refresh-replay' | 'wrong-verifier'

/** The statement that ends all grants that match a condition, with everything issued from them; `now` in milliseconds. */
export const endGrantsStatement = ({ sql, args }: SqlPart, reason: string, now: number): InStatement => ({
  sql: `update oauth_grants set revoked_at = ?, revoked_reason = ? where revoked_at is null and ${sql}`,
  args: [now, reason, ...args],
})

/** Ends a grant and everything issued from it, immediately; returns false when it had ended before. */
export async function endGrant(app: App, grantId: string, reason: EndReason): Promise<boolean> {
  const statement = endGrantsStatement({ sql: 'id = ?', args: [grantId] }, reason, app.now().getTime())
  return (await app.db.client.execute(statement)).rowsAffected === 1
}

export interface AppRow extends UseTimes {
  id: string
  clientId: string
  clientName: string
  clientUri: string | null
  isToken: number
  tokenEnd: string | null
  orgId: string
  orgName: string
  userId: string
  email: string
  name: string
  person: string
  scope: string
  mayDelete: number
  asksFirst: number
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number
  assertionIssuer: string | null
}

/** What a list of grants reads from `listedFrom`. */
export const listedColumns = `g.id as id, g.client_id as clientId, g.client_name as clientName, c.client_uri as clientUri, g.token_hash is not null as isToken, g.token_end as tokenEnd, o.id as orgId, o.name as orgName,
    u.id as userId, u.email as email, u.name as name, ${shownPersonSql()} as person, g.scope as scope, g.may_delete as mayDelete, g.asks_first as asksFirst, g.created_at as createdAt, g.last_used_at as lastUsedAt,
    g.expires_at as expiresAt, g.assertion_issuer as assertionIssuer, ${USE_COLUMNS}`
export const listedFrom = `oauth_grants g ${grantJoins} left join oauth_clients c on c.id = g.client_id`

/** A grant whose code was never exchanged connects no app. The one parameter is the time in milliseconds. */
export const isListed = (config: LiveConfig): string =>
  `${isUnended(config)} and (g.last_used_at is not null or g.token_hash is not null)`

const listSql = (app: App, condition: string): string => `select ${listedColumns} from ${listedFrom}
  where ${condition} and ${isListed(app.config)} order by g.last_used_at desc, g.id desc`

const listApps = async (app: App, condition: string, value: string): Promise<OrganizationGrant[]> =>
  (await app.db.prepareRead<AppRow>(listSql(app, condition))([value, app.now().getTime()])).map(row =>
    toConnectedApp(app, row),
  )

/**
 * Lists the apps connected to a person's account, in all their organizations, most recently used first. Personal tokens have
 * their own list.
 */
export const listGrants = (app: App, { userId }: Pick<Session, 'userId'>): Promise<ConnectedApp[]> =>
  listApps(app, 'g.user_id = ? and g.token_hash is null', userId)

/** Lists the usable personal tokens of a person, newest first; never the tokens themselves. */
export async function listPersonalTokens(app: App, userId: string): Promise<PersonalToken[]> {
  const tokens = await listApps(app, 'g.user_id = ? and g.token_hash is not null', userId)
  return tokens
    .map(token => ({ ...token, name: token.clientName }))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
}

/** Lists all apps and personal tokens of the members of an organization. */
export const listOrgGrants = (app: App, orgId: string): Promise<OrganizationGrant[]> =>
  listApps(app, 'g.org_id = ?', orgId)

/** Returns the names of hosts by client id, as they were when people connected them. The latest name counts. */
export async function hostNames(app: App, clientIds: readonly string[]): Promise<Record<string, string>> {
  if (clientIds.length === 0) return {}
  const rows = await app.db.prepareRead<{ id: string; name: string }>(
    `select * from (select value as id, (select client_name from oauth_grants where client_id = value
      order by created_at desc limit 1) as name from json_each(?)) where name is not null`,
  )([JSON.stringify(clientIds)])
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/**
 * Disconnects an app of the person; its next call fails. Throws `not-found` for another person's grant and for one that has
 * ended.
 */
export async function disconnectApp(app: App, { userId }: Session, grantId: string): Promise<void> {
  await requireGrant(app, grantId, { userId })
  if (await endGrant(app, grantId, 'person')) app.log.info('app disconnected', { userId, grantId })
}

/** Returns which of these grants are live. */
export async function findLiveGrants(app: App, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const find = app.db.prepareRead<{ id: string }>(
    `select g.id as id from oauth_grants g ${grantJoins} where g.id in (select value from json_each(?)) and ${isLive(app.config)}`,
  )
  return new Set((await find([JSON.stringify(ids), app.now().getTime()])).map(({ id }) => id))
}

/** Changes whether an app of the person asks before it deletes something. Throws `not-found` as `disconnectApp` does. */
export async function changeGrant(
  app: App,
  { userId }: Session,
  { id, asksFirst }: { id: string; asksFirst: boolean },
): Promise<void> {
  await requireGrant(app, id, { userId })
  await app.db.client.execute({
    sql: 'update oauth_grants set asks_first = ? where id = ? and user_id = ? and revoked_at is null',
    args: [Number(asksFirst), id, userId],
  })
}

/** Disconnects an app of a member from the actor's organization; throws `not-found`. */
export async function disconnectOrgApp(app: App, { orgId, userId }: Actor, grantId: string): Promise<void> {
  await requireGrant(app, grantId, { orgId })
  if (await endGrant(app, grantId, 'admin'))
    app.log.info('app of a member disconnected', { orgId, by: userId, grantId })
}

/** Whose grants a caller may see and change: their own, or those of the members of their organization. */
export type GrantOwner = { userId: string } | { orgId: string }

/** The condition that a grant is the owner's. */
export const isOwned = (owner: GrantOwner) =>
  'userId' in owner ? { sql: 'user_id = ?', args: [owner.userId] } : { sql: 'org_id = ?', args: [owner.orgId] }

/** Finds a grant that has not been revoked; throws `not-found`. */
export async function requireGrant(app: App, grantId: string, owner: GrantOwner) {
  const { sql, args } = isOwned(owner)
  const [row] = await app.db.prepareRead<{ id: string; userId: string; orgId: string; clientId: string }>(
    `select id, user_id as userId, org_id as orgId, client_id as clientId from oauth_grants
      where id = ? and ${sql} and revoked_at is null`,
  )([grantId, ...args])
  if (!row) throw new AppError('not-found')
  return row
}

// Includes all columns; operations send only those that their schemas name.
export function toConnectedApp(
  app: App,
  { createdAt, lastUsedAt, expiresAt, person, ...row }: AppRow,
): OrganizationGrant {
  const unusedSince = app.now().getTime() - UNUSED_AFTER_IN_MS
  const usedAt = usedAtOf(row)
  const granted = row.scope.split(' ')
  return {
    ...row,
    person: toShownPerson(person),
    clientHost: hostOf(row.clientId) ?? hostOf(row.clientUri),
    isToken: row.isToken === 1,
    mayDelete: row.mayDelete === 1,
    scopes: GRANT_SCOPES.filter(scope => granted.includes(scope)).map(scope => ({
      scope,
      description: scope === 'mcp:write' && row.mayDelete === 0 ? WRITE_WITHOUT_DELETE : SCOPE_WORDS[scope],
    })),
    asksFirst: row.mayDelete === 1 && row.isToken === 0 && granted.includes('mcp:write') ? row.asksFirst === 1 : null,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    expiresAt: new Date(expiresAt).toISOString(),
    usedAt: {
      read: isoTimeOrNull(usedAt.read),
      write: isoTimeOrNull(usedAt.write),
      delete: isoTimeOrNull(usedAt.delete),
      operate: isoTimeOrNull(usedAt.operate),
    },
    unused: unusedParts(row, usedAt, unusedSince),
    isIdle: isIdle(usedAt, unusedSince),
  }
}

/** The host of a web address; null for anything else, for example a registered client's id. */
const hostOf = (address: string | null): string | null =>
  address !== null && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).host : null

export interface ConnectableOrg {
  id: string
  name: string
  /** The required sign-in provider when this session used another one. */
  otherProvider: string | null
}

/**
 * Lists the organizations of a person, the active one first. `otherProvider` names the required provider of those that are closed
 * to this session.
 */
export async function listConnectableOrgs(app: App, session: Session): Promise<ConnectableOrg[]> {
  const find = app.memo('connectable-orgs', () =>
    app.db.prepareRead<{ id: string; name: string; required: string | null; isOpen: number }>(
      `select o.id as id, o.name as name, o.required_auth_provider as required, ${orgOpensTo('g')} as isOpen
        from (select x.org_id as org_id, ? as user_id, ? as provider, ? as provider_domain from (${orgsOf('= ?')}) x) g ${grantJoins}
        where ${mayAct(app.config)} order by o.id <> ?, m.joined_at, o.id`,
    ),
  )
  const { userId, provider, providerDomain = null } = session
  const rows = await find([userId, provider, providerDomain, userId, workingIn(session) ?? ''])
  return rows.map(({ id, name, required, isOpen }) => ({ id, name, otherProvider: isOpen === 1 ? null : required }))
}
