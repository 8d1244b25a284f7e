import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
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

/** One row for each connection that is under way at a provider; it is deleted when the browser comes back. */
export const connectionStates = sqliteTable(
  'connection_states',
  {
    /** SHA-256 of the state that the browser brings back. */
    stateHash: text('state_hash').primaryKey(),
    provider: text('provider').notNull(),
    userId: text('user_id').notNull(),
    /** Sealed: the code verifier and the nonce. */
    secrets: text('secrets').notNull(),
    returnPath: text('return_path').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
  },
  table => [index('connection_states_expires').on(table.expiresAt), index('connection_states_user').on(table.userId)],
)

/** One row for each sign-in that is under way at a provider; it is deleted when the browser comes back. */
export const providerStates = sqliteTable(
  'provider_states',
  {
    /** SHA-256 of the state that the browser brings back. */
    stateHash: text('state_hash').primaryKey(),
    provider: text('provider').notNull(),
    codeVerifier: text('code_verifier').notNull(),
    nonce: text('nonce').notNull(),
    returnPath: text('return_path').notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('provider_states_expires').on(table.expiresAt)],
)

/** As the client of a hub: one row for each sign-in that is under way; it is deleted when the browser comes back. */
export const identityStates = sqliteTable(
  'identity_states',
  {
    /** SHA-256 of the state that the browser brings back. */
    stateHash: text('state_hash').primaryKey(),
    /** The challenge of the verifier that only the browser's cookie holds. */
    codeChallenge: text('code_challenge').notNull(),
    hubUrl: text('hub_url').notNull(),
    appId: text('app_id').notNull(),
    clientId: text('client_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    returnPath: text('return_path').notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('identity_states_expires').on(table.expiresAt)],
)
