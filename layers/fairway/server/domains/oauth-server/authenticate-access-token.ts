import { suspendedError } from '#fairway/server/domains/people'
import { hasSessionPolicy, isInGrace } from '#fairway/server/domains/organizations'
import {
  type ActorRow,
  copyOf,
  memberActor,
  openSession,
  type ServerSession,
  unconfirmedError,
} from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { isPersonalToken, isServiceKey } from '#fairway/shared/secrets'
import { OPERATOR_SCOPE, TOKEN_SCOPES, type TokenScope } from '#fairway/shared/scopes'
import { type AccessTokenClaims, verifyAccessToken } from './access-token'
import type { McpAccess } from './mcp-access'
import { hasRootSecret } from './root-mark'
import { accessByKey, accessByToken, accessOfAccount, isOfServiceAccount } from './service-account-access'
import { PERSONAL_TOKEN_CLIENT } from './personal-tokens'
import { findNewPlace, USE_COLUMNS, usedAtOf, type UseTimes, writeSoon } from './grant-use'

const TOUCH_EVERY_IN_MS = 5 * 60 * 1000

interface AccessRow extends ActorRow, UseTimes {
  grantId: string
  clientId: string
  clientName: string
  createdAt: number
  /** When the person signed in, as an assertion said; null where it is the time of the consent. */
  signedInAt: number | null
  lastUsedAt: number | null
  /** The longest time between two uses, in milliseconds. */
  longestPause: number
  calledAt: number | null
  /** 0 when the person did not allow deleting. */
  mayDelete: number
  /** 0 when the person did not want to be asked before something is deleted. */
  asksFirst: number
  /** 1 when the organization limits apps and tokens to reading. */
  agentsReadOnly: number
  expiresAt: number
  /** Space-separated. */
  scope: string
  grantOrgId: string
  /** The network that a personal token was last used from. */
  usedFrom: string | null
  /** The sign-in provider of the session that approved the grant. */
  provider: string
  providerDomain: string | null
  provedSecondFactor: number
}

/**
 * Returns the caller of this access token, personal token or key of a service account, with their permissions. Returns null unless the token is valid, its
 * grant is live and the person is still in that organization. An organization that requires another provider is closed to the
 * caller. Revoking takes effect on the next call: any write to the database causes a new read of the row (`app.db.memory`).
 * Expiry is compared on every call. Throws `account-suspended` and `email-not-verified`.
 */
export async function authenticateAccessToken(app: App, token: string): Promise<McpAccess | null> {
  if (isServiceKey(token)) return accessByKey(app, token)
  if (isPersonalToken(token)) return accessOfGrant(app, await findByToken(app, token), true)
  const claims = await verifyAccessToken(app, token)
  if (!claims) return null
  return isOfServiceAccount(claims) ? accessByToken(app, claims) : accessOfGrant(app, await findByClaims(app, claims))
}

async function accessOfGrant(app: App, credential: Found | undefined, isPersonal = false): Promise<McpAccess | null> {
  if (!credential) return null
  const { kept: cached, row } = credential
  const now = app.now().getTime()
  if (row.expiresAt <= now) return null
  // Compared on every call, because a suspension can end with time. The grant stays and works again afterwards.
  if (row.suspendedUntil > now) throw suspendedError(row.suspendedUntil)
  const opens = cached.opens ?? (await openGrant(app, credential))
  if (!isInGrace(opens?.session) && !hasSessionPolicy(row)) cached.opens = opens
  if (!opens) return null
  if (row.calledAt === null) await noteFirstCall(app, row)
  touchGrant(app, row)
  if (isPersonal) notePlace(app, row)
  return accessOf(row, opens)
}

/**
 * Returns the access of a grant or a service account without its token, for a call that runs later. Null when the grant or the
 * account has ended, or its person may not act. Throws `account-suspended` and `email-not-verified`.
 */
export async function findGrantAccess(app: App, grantId: string): Promise<McpAccess | null> {
  const [row] = await app.db.prepareRead<AccessRow>(`${findSql(app)} and g.id = ?`)([grantId])
  if (!row) return accessOfAccount(app, grantId)
  const now = app.now().getTime()
  if (row.expiresAt <= now) return null
  if (row.suspendedUntil > now) throw suspendedError(row.suspendedUntil)
  const opens = await openGrant(app, { kept: {}, row, scope: row.scope, expiresAt: row.expiresAt })
  return opens ? accessOf(row, opens) : null
}

function accessOf(row: AccessRow, { session, scopes }: NonNullable<Kept['opens']>): McpAccess {
  const { grantId, clientId } = row
  const isReadOnly = row.agentsReadOnly === 1
  const asksFirst = clientId === PERSONAL_TOKEN_CLIENT ? 'in-host' : row.asksFirst === 1 ? 'always' : 'never'
  const mayDelete = row.mayDelete === 1
  const usedAt = usedAtOf(row)
  return {
    session: copyOf(session),
    scopes: new Set(scopes),
    mayDelete,
    asksFirst,
    isReadOnly,
    grantId,
    clientId,
    usedAt,
  }
}

/** Returns the session and scopes of a row; null when its person may not act. Both are independent of the clock. */
async function openGrant(app: App, { row, scope, expiresAt }: Found): Promise<Kept['opens']> {
  const { provider, providerDomain, createdAt, grantOrgId: orgId } = row
  const times = {
    signedInAt: row.signedInAt ?? createdAt,
    usedAt: row.lastUsedAt ?? createdAt,
    longestPause: row.longestPause,
    isApp: true,
  }
  const proof = { provider, providerDomain, provedSecondFactor: row.provedSecondFactor === 1, times }
  const opened = await openSession(app, row, { ...proof, shownAs: 'mcp', orgId, createdAt, expiresAt })
  if ('refusal' in opened) {
    if (opened.refusal === 'not-confirmed') throw unconfirmedError(app)
    return null
  }
  // The row counts besides the token, because unused permissions can be removed while a token lives.
  const granted = new Set(scope.split(' ')).intersection(new Set(row.scope.split(' ')))
  if (row.agentsReadOnly === 1) for (const scope of ['mcp:write', OPERATOR_SCOPE]) granted.delete(scope)
  return { session: opened.session, scopes: new Set(TOKEN_SCOPES.filter(scope => granted.has(scope))) }
}

/** The remembered state of a credential, until the next write to the database. */
interface Kept {
  /** Undefined when there is no live grant. Many calls share it. */
  row?: Readonly<AccessRow>
  /** The session and scopes, once computed. Callers get copies only. */
  opens?: { session: ServerSession; scopes: ReadonlySet<TokenScope> } | null
}

interface Found {
  kept: Kept
  row: Readonly<AccessRow>
  /** Space-separated. */
  scope: string
  expiresAt: number
}

const findSql = ({
  config,
}: App): string => `select g.id as grantId, g.client_id as clientId, g.client_name as clientName, g.created_at as createdAt, g.signed_in_at as signedInAt, g.last_used_at as lastUsedAt,
    g.called_at as calledAt, g.longest_pause as longestPause, g.expires_at as expiresAt, g.scope as scope, g.org_id as grantOrgId, g.used_from as usedFrom,
    g.provider as provider, g.provider_domain as providerDomain, g.proved_second_factor as provedSecondFactor, g.may_delete as mayDelete, g.asks_first as asksFirst,
    ${USE_COLUMNS}, o.agents_read_only as agentsReadOnly, ${memberActor.columns}
  from oauth_grants g ${memberActor.joins('g.user_id', 'g.org_id')} where g.revoked_at is null
    and ${hasRootSecret(config)}`

async function findByClaims(app: App, claims: AccessTokenClaims): Promise<Found | undefined> {
  const find = app.memo('find-mcp-access', () =>
    rememberedRow(app, `${findSql(app)} and g.id = ? and g.user_id = ? and g.org_id = ? and g.client_id = ?`),
  )
  const cached = await find(claims.jti, [claims.grant_id, claims.sub, claims.org_id, claims.client_id])
  return cached.row && { kept: cached, row: cached.row, scope: claims.scope, expiresAt: claims.exp * 1000 }
}

async function findByToken(app: App, token: string): Promise<Found | undefined> {
  const find = app.memo('find-personal-token', () => rememberedRow(app, `${findSql(app)} and g.token_hash = ?`))
  const hash = sha256(token)
  const cached = await find(hash, [hash])
  return cached.row && { kept: cached, row: cached.row, scope: cached.row.scope, expiresAt: cached.row.expiresAt }
}

/** Finds the row of a credential by values unique to it, and remembers it until the next write to the database. */
function rememberedRow(app: App, sql: string): (credential: string, args: string[]) => Promise<Kept> {
  const read = app.db.prepareRead<AccessRow>(sql)
  const memory = app.db.memory<Kept>('access-rows', app.decidesAccess)
  return (credential, args) =>
    memory.get(credential, async () => {
      const [row] = await read(args)
      return { row }
    })
}

/**
 * Notes the network that a personal token is used from. Writes only when the network changes.
 */
function notePlace(app: App, { grantId, userId, clientName, usedFrom }: AccessRow): void {
  const place = findNewPlace(app, { userId, subject: clientName, usedFrom })
  if (place === undefined) return
  inBackground(app, 'token-place', async () => {
    await app.db.client.execute({ sql: 'update oauth_grants set used_from = ? where id = ?', args: [place, grantId] })
  })
}

// Awaited, once in the life of a grant, because the next consent replaces a grant that was never called.
async function noteFirstCall(app: App, { grantId }: AccessRow): Promise<void> {
  await app.db.client.execute({
    sql: 'update oauth_grants set called_at = ? where id = ? and called_at is null',
    args: [app.now().getTime(), grantId],
  })
}

/** Notes when a grant was used, at most once in five minutes, after the response. */
function touchGrant(app: App, { grantId, lastUsedAt }: AccessRow): void {
  const now = app.now().getTime()
  if (now - (lastUsedAt ?? 0) < TOUCH_EVERY_IN_MS) return
  writeSoon(app, grantId, {
    sql: `update oauth_grants set longest_pause = max(longest_pause, ?1 - coalesce(last_used_at, created_at)), last_used_at = ?1
      where id = ?2 and last_used_at is ?3`,
    args: [now, grantId, lastUsedAt],
  })
}
