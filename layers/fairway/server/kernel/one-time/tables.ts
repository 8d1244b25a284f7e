import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../database/columns'

/** Secrets that are mailed or carried, live for minutes and are used once; the table holds their hashes. */
export const oneTime = sqliteTable(
  'fw_one_time',
  {
    /** SHA-256 of the secret. */
    hash: text('hash').primaryKey(),
    /** What it is for; a secret of one purpose opens nothing of another. */
    purpose: text('purpose').notNull(),
    /** Whose it is: a user's id, an address, or whatever else its purpose ends it by. */
    subject: text('subject'),
    /** SHA-256 of the cookie of the browser that it belongs to. */
    browserHash: text('browser_hash'),
    /** Sealed JSON. */
    payload: text('payload'),
    /** Wrong answers that came with it. */
    tries: integer('tries').notNull().default(0),
    createdAt: timestamp('created_at').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    usedAt: timestamp('used_at'),
  },
  table => [
    index('fw_one_time_subject').on(table.subject, table.purpose, table.createdAt),
    index('fw_one_time_browser').on(table.browserHash),
    index('fw_one_time_expires').on(table.expiresAt),
  ],
)
