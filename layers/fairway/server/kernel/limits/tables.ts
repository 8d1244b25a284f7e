import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One counter per limit and subject; the key is hashed, so the table contains no address and no account. */
export const rateLimits = sqliteTable('rate_limits', {
  key: text('key').primaryKey(),
  count: integer('count').notNull(),
  /** When the window ends and counting starts again, in milliseconds. */
  endsAt: integer('ends_at').notNull(),
})
