import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/**
 * The tokens that an external provider issued for a person, one row for each provider. The tokens are sealed to the row's
 * `row_id`, not to the person, because the local migration changes the owner of a row.
 */
export const oauthTokens = sqliteTable(
  'oauth_tokens',
  {
    userId: text('user_id').notNull(),
    provider: text('provider').notNull(),
    /** New with each connection; null in rows of older applications, which cannot be unsealed. */
    rowId: text('row_id'),
    accessToken: text('access_token').notNull(),
    refreshToken: text('refresh_token'),
    /** When the access token expires; null when the provider did not say. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    tokenType: text('token_type'),
    /** Space-separated, as the provider granted them. */
    scope: text('scope'),
    /** The person's account at the provider, for display. */
    accountId: text('account_id'),
    accountLabel: text('account_label'),
    status: text('status', { enum: ['active', 'reconnect_required'] })
      .notNull()
      .default('active'),
    /** Increases with every change, so that an update applies only to the version that was read. */
    version: integer('version').notNull().default(1),
    /** The caller that is refreshing, and until when it excludes others. */
    leaseOwner: text('lease_owner'),
    leaseUntil: timestamp('lease_until'),
    connectedAt: timestamp('connected_at'),
    refreshedAt: timestamp('refreshed_at'),
  },
  table => [primaryKey({ columns: [table.userId, table.provider] })],
)

export type ConnectionRow = typeof oauthTokens.$inferSelect
