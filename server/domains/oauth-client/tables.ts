import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What an external provider gave us for a person, one row for each provider. The tokens are sealed, but not to the person:
 * the local migration changes whose row it is.
 */
export const oauthTokens = sqliteTable(
  'oauth_tokens',
  {
    userId: text('user_id').notNull(),
    provider: text('provider').notNull(),
    accessToken: text('access_token').notNull(),
    refreshToken: text('refresh_token'),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
  },
  table => [primaryKey({ columns: [table.userId, table.provider] })],
)
