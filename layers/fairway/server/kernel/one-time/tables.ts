import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../database/columns'

/** Secrets that are mailed or carried, are valid for minutes and are used once; the table contains their hashes. */
export const oneTime = sqliteTable(
  'fw_one_time',
  {
    /** SHA-256 of the secret. */
    hash: text('hash').primaryKey(),
    /** Its purpose; a secret of one purpose is invalid for all others. */
    purpose: text('purpose').notNull(),
    /** Its subject: a user's id, an address, or another value by which its purpose ends it. */
    subject: text('subject'),
    /** SHA-256 of the cookie of the browser that it belongs to. */
    browserHash: text('browser_hash'),
    /** Sealed JSON. */
    payload: text('payload'),
    /** The number of wrong answers for it. */
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
