import { eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { Connection } from '#fairway/shared/schemas/connection'
import { configuredProviders } from './provider-registry'
import { openToken } from './sealed-tokens'
import { oauthTokens } from './tables'

/** Every provider that can be connected and what this person has there; never a token. */
export async function listConnections(app: App, userId: string): Promise<Connection[]> {
  const rows = await app.db.orm.select().from(oauthTokens).where(eq(oauthTokens.userId, userId))
  const byProvider = new Map(rows.map(row => [row.provider, row]))
  const offered = [...configuredProviders(app).values()].filter(({ grant }) => grant === 'authorization_code')
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
