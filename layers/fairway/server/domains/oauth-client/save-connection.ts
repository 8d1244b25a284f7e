import { sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { ProviderAccount } from './provider'
import { sealToken } from './sealed-tokens'
import { oauthTokens } from './tables'

/** What a provider's token endpoint gave; times in seconds (RFC 6749 §5.1). */
export interface TokenAnswer {
  access_token: string
  refresh_token?: string
  expires_in?: number
  token_type: string
  scope?: string
}

interface NewConnection {
  userId: string
  provider: string
  tokens: TokenAnswer
  /** What was asked for; the provider says so only when it granted something else. */
  scopes: readonly string[]
  account?: ProviderAccount
}

/** Stores what a person connected, over what was there for this provider before; a refresh that is under way then changes nothing. */
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

/** now + expires_in; null when the provider does not say. */
export const expiry = (now: Date, expiresIn: number | undefined): Date | null =>
  expiresIn === undefined ? null : new Date(now.getTime() + expiresIn * 1000)
