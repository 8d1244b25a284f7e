import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What a person has signed in with before; the first device of an account is kept without a mail. */
export const knownDevices = sqliteTable(
  'known_devices',
  {
    userId: text('user_id').notNull(),
    /** In words, for example “Firefox on Windows”. */
    device: text('device').notNull(),
    firstSeenAt: integer('first_seen_at', { mode: 'timestamp_ms' }).notNull(),
    lastSeenAt: integer('last_seen_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [primaryKey({ columns: [table.userId, table.device] })],
)
