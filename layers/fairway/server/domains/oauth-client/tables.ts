import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/**
 * What an external provider gave us for a person, one row for each provider. The tokens are sealed to the row's own
 * `row_id`, not to the person: the local migration changes whose row it is.
 */
export const oauthTokens = sqliteTable(
  'oauth_tokens',
  {
    userId: text('user_id').notNull(),
    provider: text('provider').notNull(),
    /** New with each connection; null in rows of older applications, which nothing opens. */
    rowId: text('row_id'),
    accessToken: text('access_token').notNull(),
    refreshToken: text('refresh_token'),
    /** When the access token ends; null when the provider did not say. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    tokenType: text('token_type'),
    /** Space-separated, as the provider granted them. */
    scope: text('scope'),
    /** Who the person is at the provider, for display. */
    accountId: text('account_id'),
    accountLabel: text('account_label'),
    status: text('status', { enum: ['active', 'reconnect_required'] })
      .notNull()
      .default('active'),
    /** Counts every change, so that a change is made to the row that was read. */
    version: integer('version').notNull().default(1),
    /** Who refreshes now, and until when nobody else may. */
    leaseOwner: text('lease_owner'),
    leaseUntil: timestamp('lease_until'),
    connectedAt: timestamp('connected_at'),
    refreshedAt: timestamp('refreshed_at'),
  },
  table => [primaryKey({ columns: [table.userId, table.provider] })],
)

export type ConnectionRow = typeof oauthTokens.$inferSelect
