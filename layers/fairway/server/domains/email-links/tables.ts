import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { email, id, timestamp } from '../../foundation/database/columns'

/** Links that were mailed to an address; whoever opens one has the mailbox. Kept for a day after their end, so that a used one can say so. */
export const emailLinks = sqliteTable(
  'email_links',
  {
    id: id(),
    purpose: text('purpose', { enum: ['magic-link', 'verification', 'password-reset'] }).notNull(),
    email: email('email').notNull(),
    /** SHA-256 of the secret in the link. */
    tokenHash: text('token_hash').notNull(),
    /** SHA-256 of the secret in the cookie of the browser that asked and waits. */
    flowHash: text('flow_hash').notNull(),
    /** Sealed: where to go on, who asked from where, and what a sign-up wants to become. */
    payload: text('payload').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    usedAt: timestamp('used_at'),
    /** The person that the waiting browser may be signed in as, once. */
    approvedUserId: text('approved_user_id'),
    /** Ten minutes later the approval is over. */
    approvedAt: timestamp('approved_at'),
    /** The account's security version when it was approved. */
    approvedVersion: integer('approved_version'),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [
    uniqueIndex('email_links_token').on(table.tokenHash),
    index('email_links_flow').on(table.flowHash),
    index('email_links_email').on(table.email, table.purpose, table.createdAt),
    index('email_links_expires').on(table.expiresAt),
  ],
)
