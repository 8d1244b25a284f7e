import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { toConnectionFailure } from './connection-failure'
import type { ConfiguredProvider } from './provider'
import { providerClient } from './provider-client'
import { configuredProviders } from './provider-registry'
import { openToken } from './sealed-tokens'
import { oauthTokens } from './tables'

/**
 * Forgets what a person connected and revokes it at the provider (RFC 7009) where that has an endpoint for it; `revoked` says
 * whether it did. A newer connection that lands meanwhile stays.
 */
export async function disconnect(app: App, userId: string, providerId: string): Promise<{ revoked: boolean }> {
  const mine = and(eq(oauthTokens.userId, userId), eq(oauthTokens.provider, providerId))
  const [read] = await app.db.orm.select({ rowId: oauthTokens.rowId }).from(oauthTokens).where(mine)
  if (!read) return { revoked: false }
  const isRead = read.rowId === null ? mine : and(mine, eq(oauthTokens.rowId, read.rowId))
  const [row] = await app.db.orm.delete(oauthTokens).where(isRead).returning()
  const provider = configuredProviders(app).get(providerId)
  if (!row || !provider) return { revoked: false }
  const token =
    (row.refreshToken && openToken(app, row, 'refresh', row.refreshToken)) ??
    openToken(app, row, 'access', row.accessToken)
  return { revoked: token ? await revoke(app, provider, token) : false }
}

// The row is gone whatever the provider says; who it was is told that it may still hold the connection.
async function revoke(app: App, provider: ConfiguredProvider, token: string): Promise<boolean> {
  try {
    const { client, configuration } = await providerClient(app, provider)
    if (!configuration.serverMetadata().revocation_endpoint) return false
    await client.tokenRevocation(configuration, token)
    return true
  } catch (error) {
    app.log.warn('a token could not be revoked', { provider: provider.id, reason: toConnectionFailure(error).message })
    return false
  }
}
