import { and, eq, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import type { Connection } from '#fairway/shared/schemas/connection'
import type { ConfiguredProvider, ProviderAccount } from './define-provider'
import { providerClient, type TokenAnswer } from './provider-client'
import { toProviderFailure } from './provider-failure'
import { connectionProviders } from './provider-registry'
import { oauthTokens } from './tables'

interface NewConnection {
  userId: string
  provider: string
  tokens: TokenAnswer
  /** The requested scopes; the provider names the granted ones only when they differ. */
  scopes: readonly string[]
  account?: ProviderAccount
}

/**
 * Stores a user's connection and replaces an earlier one for this provider. A refresh that is still running then changes nothing.
 */
export async function saveConnection(app: App, { userId, provider, tokens, scopes, account }: NewConnection) {
  const rowId = newId()
  const now = app.now()
  const values = {
    rowId,
    accessToken: sealToken(app, rowId, 'access', tokens.access_token),
    refreshToken: tokens.refresh_token ? sealToken(app, rowId, 'refresh', tokens.refresh_token) : null,
    expiresAt: expiry(now, tokens.expires_in),
    tokenType: tokens.token_type,
    scope: tokens.scope ?? scopes.join(' '),
    accountId: account?.id ?? null,
    accountLabel: account?.label ?? null,
    status: 'active' as const,
    leaseOwner: null,
    leaseUntil: null,
    connectedAt: now,
    refreshedAt: null,
  }
  await app.db.orm
    .insert(oauthTokens)
    .values({ userId, provider, ...values })
    .onConflictDoUpdate({
      target: [oauthTokens.userId, oauthTokens.provider],
      set: { ...values, version: sql`${oauthTokens.version} + 1` },
    })
}

/** now + expires_in (seconds); null when the provider sends none. */
export const expiry = (now: Date, expiresIn: number | undefined): Date | null =>
  expiresIn === undefined ? null : new Date(now.getTime() + expiresIn * 1000)

/** Lists every provider that can be connected, and this user's connection there; never a token. */
export async function listConnections(app: App, userId: string): Promise<Connection[]> {
  const rows = await app.db.orm.select().from(oauthTokens).where(eq(oauthTokens.userId, userId))
  const byProvider = new Map(rows.map(row => [row.provider, row]))
  const offered = [...connectionProviders(app).values()].filter(({ grant }) => grant === 'authorization_code')
  return offered.map(({ id, name, scopes }) => {
    const row = byProvider.get(id)
    if (!row) return { provider: id, name, status: 'not-connected', requestedScopes: [...scopes] } as const
    const isReadable = openToken(app, row, 'access', row.accessToken) !== null
    return {
      provider: id,
      name,
      requestedScopes: [...scopes],
      status: !isReadable ? 'unreadable' : row.status === 'active' ? 'connected' : 'reconnect-required',
      account: row.accountLabel,
      scopes: row.scope?.split(/[ ,]+/).filter(Boolean) ?? [],
      expiresAt: row.expiresAt?.toISOString() ?? null,
      renewsItself: row.refreshToken !== null,
      connectedAt: row.connectedAt?.toISOString() ?? null,
      refreshedAt: row.refreshedAt?.toISOString() ?? null,
    } as const
  })
}

/**
 * Deletes a user's connection and revokes its token at the provider (RFC 7009) if that has an endpoint for it. `revoked` is true
 * when the provider confirmed it. A newer connection that is stored meanwhile stays.
 */
export async function disconnect(app: App, userId: string, providerId: string): Promise<{ revoked: boolean }> {
  const mine = and(eq(oauthTokens.userId, userId), eq(oauthTokens.provider, providerId))
  const [read] = await app.db.orm.select({ rowId: oauthTokens.rowId }).from(oauthTokens).where(mine)
  if (!read) return { revoked: false }
  const isRead = read.rowId === null ? mine : and(mine, eq(oauthTokens.rowId, read.rowId))
  const [row] = await app.db.orm.delete(oauthTokens).where(isRead).returning()
  const provider = connectionProviders(app).get(providerId)
  if (!row || !provider) return { revoked: false }
  const refreshToken = row.refreshToken && openToken(app, row, 'refresh', row.refreshToken)
  const token = refreshToken ?? openToken(app, row, 'access', row.accessToken)
  return { revoked: token ? await revoke(app, provider, token) : false }
}

// The row is deleted even when this fails. The user is then informed that the provider may still hold the connection.
async function revoke(app: App, provider: ConfiguredProvider, token: string): Promise<boolean> {
  try {
    const { client, configuration } = await providerClient(app, provider)
    if (!configuration.serverMetadata().revocation_endpoint) return false
    await client.tokenRevocation(configuration, token)
    return true
  } catch (error) {
    app.log.warn('a token could not be revoked', { provider: provider.id, reason: toProviderFailure(error).message })
    return false
  }
}

/** The sealing purpose of tokens. Each is also sealed to its row and kind, so one cannot replace another. */
const TOKEN_PURPOSE = 'provider-token'

type TokenKind = 'access' | 'refresh'

const tokenContext = (rowId: string, kind: TokenKind): string => `${rowId}/${kind}`

/** Seals a token for its row. */
export const sealToken = (app: App, rowId: string, kind: TokenKind, token: string): string =>
  seal(app.config.keys, TOKEN_PURPOSE, token, tokenContext(rowId, kind))

/** Returns the token, or null when none of the keys unseals it. The failure is logged without the token. */
export function openToken(app: App, row: { rowId: string | null; provider: string }, kind: TokenKind, sealed: string) {
  try {
    return unseal(app.config.keys, TOKEN_PURPOSE, sealed, tokenContext(row.rowId ?? '', kind))
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    app.log.error('a provider token cannot be read', { provider: row.provider, kind, reason: error.message })
    return null
  }
}

/** The sealed columns of connections, for `fw reseal`. */
export const connectionSealedColumns: SealedColumn[] = (['access', 'refresh'] as const).map(kind => ({
  table: 'oauth_tokens',
  column: `${kind}_token`,
  purpose: TOKEN_PURPOSE,
  context: row => tokenContext(String(row.row_id), kind),
}))
