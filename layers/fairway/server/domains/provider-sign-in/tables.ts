import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
