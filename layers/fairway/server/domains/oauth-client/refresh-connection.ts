import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { toConnectionFailure } from './connection-failure'
import type { ConfiguredProvider } from './provider'
import { providerClient } from './provider-client'
import { expiry, type TokenAnswer } from './save-connection'
import { openToken, sealToken } from './sealed-tokens'
import { type ConnectionRow, oauthTokens } from './tables'

/** Longer than a refresh may take, so that a lease ends by itself only when its holder has died. */
const LEASE_IN_MS = 12_000

/** `refreshed`: the row has changed, read it again. `taken`: somebody else refreshes. `unavailable`: the provider did not answer usefully. */
type RefreshOutcome = 'refreshed' | 'taken' | 'unavailable'

/** Renews the tokens of the row that was read, if nobody else does; a provider that refuses for good leaves the row as `reconnect_required`. */
export async function refreshConnection(
  app: App,
  provider: ConfiguredProvider,
  row: ConnectionRow,
): Promise<RefreshOutcome> {
  const lease = newId()
  if (!(await takeLease(app, row, lease))) return 'taken'
  const refreshToken = row.refreshToken && openToken(app, row, 'refresh', row.refreshToken)
  if (!refreshToken) return endLease(app, row, lease, { status: 'reconnect_required' })
  try {
    const { client, configuration } = await providerClient(app, provider)
    const tokens = await client.refreshTokenGrant(configuration, refreshToken)
    return await endLease(app, row, lease, renewed(app, row, tokens))
  } catch (error) {
    const failure = toConnectionFailure(error)
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

/** Writes what came of it, but only to the row that the lease was taken of: a newer authorization or a disconnect stays. */
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
    // A provider that does not rotate sends none, and the one that is there stays good.
    ...(tokens.refresh_token ? { refreshToken: sealToken(app, rowId, 'refresh', tokens.refresh_token) } : {}),
    expiresAt: expiry(app.now(), tokens.expires_in),
    ...(tokens.scope ? { scope: tokens.scope } : {}),
    refreshedAt: app.now(),
  }
}
