import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row for each token of another application that was used, until it ends: all instances refuse it a second time. */
export const usedTokenIds = sqliteTable(
  'used_token_ids',
  {
    /** SHA-256 of issuer and `jti`. */
    idHash: text('id_hash').primaryKey(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('used_token_ids_expires').on(table.expiresAt)],
)
