import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/** What an open embed page reads with. */
export const embedTokens = sqliteTable(
  'embed_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
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
    expiresAt: timestamp('expires_at').notNull(),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [index('embed_tokens_expires').on(table.expiresAt), index('fw_embed_tokens_user').on(table.userId)],
)
