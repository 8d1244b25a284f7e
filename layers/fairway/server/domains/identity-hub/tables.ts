import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** As the hub: one row for each code that was given to an application, until it ends. */
export const identityCodes = sqliteTable(
  'identity_codes',
  {
    /** SHA-256 of the code. */
    codeHash: text('code_hash').primaryKey(),
    userId: text('user_id').notNull(),
    /** How the person signed in at the hub. */
    provider: text('provider').notNull(),
    appId: text('app_id').notNull(),
    clientId: text('client_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** Set by the first redemption, whether it succeeded or not. */
    redeemedAt: integer('redeemed_at', { mode: 'timestamp_ms' }),
  },
  table => [index('identity_codes_expires').on(table.expiresAt)],
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
