import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const instant = (name: string) => integer(name, { mode: 'timestamp_ms' })

const boundTo = () => ({
  userId: text('user_id').notNull(),
  /** The organization it works in; it opens nothing else. Null for a person who works without one. */
  orgId: text('org_id'),
  /** The session it was made in: it ends with it. Null where sessions are not ours. */
  sessionId: text('session_id'),
  /** The provider of that session, which the organization may ask for. */
  provider: text('provider').notNull().default(''),
  providerDomain: text('provider_domain'),
  /** The page as it is declared, for example `/embed/notes`. */
  page: text('page').notNull(),
  /** The address of the page with its query. */
  path: text('path').notNull(),
  expiresAt: instant('expires_at').notNull(),
  createdAt: instant('created_at').notNull(),
})

/** What an open embed page reads with. */
export const embedTokens = sqliteTable(
  'embed_tokens',
  { tokenHash: text('token_hash').primaryKey(), ...boundTo() },
  table => [index('embed_tokens_expires').on(table.expiresAt)],
)
