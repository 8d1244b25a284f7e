import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { CONNECTIONS_PAGE } from '#fairway/shared/paths'
import type { ConfiguredProvider } from './define-provider'
import { providerClient, type TokenAnswer } from './provider-client'
import { toProviderFailure } from './provider-failure'
import { requireConnectionProvider } from './provider-registry'
import { expiry, openToken, sealToken } from './stored-connections'
import { type ConnectionRow, oauthTokens } from './tables'

/** A token is refreshed when it expires within five minutes (SPEC: Limits). */
const LEAD_IN_MS = 5 * 60 * 1000
const PAUSE_IN_MS = 100
/** How long a caller waits for another's refresh; longer than a refresh may take. */
const PATIENCE_IN_MS = 15_000
/** Longer than a refresh may take, so that a lease expires only when its holder has died. */
const LEASE_IN_MS = 12_000

/**
 * Returns an access token of this user at a provider that is valid for five more minutes. Concurrent callers on all instances
 * cause one refresh. Throws `connection-required`, `reconnect-required`, and `provider-unavailable`.
 */
export async function getAccessToken(app: App, userId: string, providerId: string): Promise<string> {
  const provider = requireConnectionProvider(app, providerId)
  const patience = app.now().getTime() + PATIENCE_IN_MS
  let firstVersion: number | undefined
  for (;;) {
    const row = await readConnection(app, userId, provider.id)
    firstVersion ??= row.version
    // A token that was just refreshed is used even when its life is shorter than five minutes.
    if (isLongLived(app, row) || (row.version !== firstVersion && isAlive(app, row))) return readToken(app, row)
    const outcome = await refreshConnection(app, provider, row)
    if (outcome === 'unavailable' || (outcome === 'taken' && app.now().getTime() > patience)) {
      return tokenForNow(app, row)
    }
    if (outcome === 'taken') await sleep(PAUSE_IN_MS)
  }
}

async function readConnection(app: App, userId: string, provider: string): Promise<ConnectionRow> {
  const [row] = await app.db.orm
    .select()
    .from(oauthTokens)
    .where(and(eq(oauthTokens.userId, userId), eq(oauthTokens.provider, provider)))
  if (!row) throw connectionMissing('connection-required', provider)
  if (row.status === 'reconnect_required') throw connectionMissing('reconnect-required', provider)
  return row
}

const isLongLived = (app: App, { expiresAt }: ConnectionRow): boolean =>
  expiresAt === null || expiresAt.getTime() >= app.now().getTime() + LEAD_IN_MS

const isAlive = (app: App, { expiresAt }: ConnectionRow): boolean => expiresAt === null || expiresAt > app.now()

/** While a provider is unreachable, a token that has not expired is still used. */
function tokenForNow(app: App, row: ConnectionRow): string {
  if (!isAlive(app, row)) throw new AppError('provider-unavailable')
  return readToken(app, row)
}

function readToken(app: App, row: ConnectionRow): string {
  const token = openToken(app, row, 'access', row.accessToken)
  if (token === null) throw connectionMissing('reconnect-required', row.provider)
  return token
}

/** The error for a missing connection. It names the provider and the page to connect it on. */
const connectionMissing = (code: 'connection-required' | 'reconnect-required', provider: string): AppError =>
  new AppError(code, { extra: { provider, connectUrl: `${CONNECTIONS_PAGE}?connect=${encodeURIComponent(provider)}` } })

/** `refreshed`: the row has changed, read it again. `taken`: another caller is refreshing. `unavailable`: the refresh failed. */
type RefreshOutcome = 'refreshed' | 'taken' | 'unavailable'

/**
 * Refreshes the tokens of the row that was read, unless another caller does. `invalid_grant` sets the row to
 * `reconnect_required`.
 */
async function refreshConnection(app: App, provider: ConfiguredProvider, row: ConnectionRow): Promise<RefreshOutcome> {
  const lease = newId()
  if (!(await takeLease(app, row, lease))) return 'taken'
  const refreshToken = row.refreshToken && openToken(app, row, 'refresh', row.refreshToken)
  if (!refreshToken) return endLease(app, row, lease, { status: 'reconnect_required' })
  try {
    const { client, configuration } = await providerClient(app, provider)
    const tokens = await client.refreshTokenGrant(configuration, refreshToken)
    return await endLease(app, row, lease, renewed(app, row, tokens))
  } catch (error) {
    const failure = toProviderFailure(error)
    await recordSecurityEvent(app, {
      kind: failure.kind === 'invalid-provider-response' ? failure.kind : 'token-refresh-failed',
      subject: provider.id,
      userId: row.userId,
      reason: failure.message,
    })
    if (failure.oauthError === 'invalid_grant') return endLease(app, row, lease, { status: 'reconnect_required' })
    await endLease(app, row, lease, {})
    return 'unavailable'
  }
}

const isRow = (row: ConnectionRow) =>
  and(
    eq(oauthTokens.userId, row.userId),
    eq(oauthTokens.provider, row.provider),
    eq(oauthTokens.version, row.version),
    row.rowId === null ? isNull(oauthTokens.rowId) : eq(oauthTokens.rowId, row.rowId),
  )

async function takeLease(app: App, row: ConnectionRow, leaseOwner: string): Promise<boolean> {
  const now = app.now()
  const taken = await app.db.orm
    .update(oauthTokens)
    .set({ leaseOwner, leaseUntil: new Date(now.getTime() + LEASE_IN_MS) })
    .where(and(isRow(row), or(isNull(oauthTokens.leaseUntil), lt(oauthTokens.leaseUntil, now))))
    .returning({ version: oauthTokens.version })
  return taken.length > 0
}

/** Writes the outcome only to the row that the lease was taken on, so a newer authorization or a disconnect stays. */
async function endLease(app: App, row: ConnectionRow, lease: string, changes: Partial<ConnectionRow>) {
  const version = sql`${oauthTokens.version} + ${Object.keys(changes).length > 0 ? 1 : 0}`
  await app.db.orm
    .update(oauthTokens)
    .set({ ...changes, version, leaseOwner: null, leaseUntil: null })
    .where(and(isRow(row), eq(oauthTokens.leaseOwner, lease)))
  return 'refreshed' as const
}

function renewed(app: App, row: ConnectionRow, tokens: TokenAnswer): Partial<ConnectionRow> {
  const rowId = row.rowId ?? ''
  return {
    accessToken: sealToken(app, rowId, 'access', tokens.access_token),
    // A provider that does not rotate refresh tokens sends none. The stored one stays valid.
    ...(tokens.refresh_token ? { refreshToken: sealToken(app, rowId, 'refresh', tokens.refresh_token) } : {}),
    expiresAt: expiry(app.now(), tokens.expires_in),
    ...(tokens.scope ? { scope: tokens.scope } : {}),
    refreshedAt: app.now(),
  }
}

interface MachineToken {
  token: string
  /** Half of its life, or five minutes before its end, whichever is later. */
  freshUntil: number
}

/**
 * Returns an access token of this application itself (RFC 6749 §4.4, client credentials). It is kept in memory, and concurrent
 * callers cause one request. Throws `unknown-provider` and `provider-unavailable`.
 */
export async function getMachineToken(app: App, providerId: string): Promise<string> {
  const provider = requireConnectionProvider(app, providerId)
  if (provider.grant !== 'client_credentials') throw new AppError('unknown-provider')
  const tokens = app.memo('machine-tokens', () => new Map<string, Promise<MachineToken>>())
  const known = tokens.get(provider.id)
  const held = await known?.catch(() => undefined)
  if (held && held.freshUntil > app.now().getTime()) return held.token
  // Another caller may have asked again while we waited.
  const newer = tokens.get(provider.id)
  if (newer && newer !== known) return (await newer).token
  const request = ask(app, provider)
  tokens.set(provider.id, request)
  request.catch(() => tokens.get(provider.id) === request && tokens.delete(provider.id))
  return (await request).token
}

async function ask(app: App, provider: ConfiguredProvider): Promise<MachineToken> {
  try {
    const { client, configuration } = await providerClient(app, provider)
    const parameters = provider.scopes.length > 0 ? { scope: provider.scopes.join(' ') } : undefined
    const { access_token: token, expires_in: seconds } = await client.clientCredentialsGrant(configuration, parameters)
    const life = (seconds ?? 0) * 1000
    return { token, freshUntil: app.now().getTime() + Math.max(life / 2, life - LEAD_IN_MS) }
  } catch (error) {
    const failure = toProviderFailure(error)
    await recordSecurityEvent(app, { kind: 'token-refresh-failed', subject: provider.id, reason: failure.message })
    throw new AppError('provider-unavailable', { cause: failure })
  }
}
