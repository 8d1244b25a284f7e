import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/** The access tokens of open embed pages. */
export const embedTokens = sqliteTable(
  'embed_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id').notNull(),
    /** The only organization that the token can read. Null for a person who works without one. */
    orgId: text('org_id'),
    /** The session that created the token; the token ends with it. Null for sessions without a row. */
    sessionId: text('session_id'),
    /** The provider of that session. The organization's sign-in rule may require one. */
    provider: text('provider').notNull().default(''),
    providerDomain: text('provider_domain'),
    /** Whether that session had proved a second factor. */
    provedSecondFactor: integer('proved_second_factor', { mode: 'boolean' }).notNull().default(false),
    /** The declared path of the page, for example `/embed/notes`. */
    page: text('page').notNull(),
    /** The address of the page with its query. */
    path: text('path').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [index('embed_tokens_expires').on(table.expiresAt), index('fw_embed_tokens_user').on(table.userId)],
)
