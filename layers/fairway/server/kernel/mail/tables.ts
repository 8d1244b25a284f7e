import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Mails that wait for the mail server; a row is gone as soon as the server has taken its mail. */
export const mailOutbox = sqliteTable(
  'mail_outbox',
  {
    id: text('id').primaryKey(),
    /** Receiver, subject and both bodies, sealed: mails carry links that sign people in. Emptied when the mail is given up. */
    content: text('content').notNull(),
    tries: integer('tries').notNull().default(0),
    /** When it is tried next; an instance that takes a mail moves this on, so that no other takes it too. */
    nextTryAt: integer('next_try_at', { mode: 'timestamp_ms' }),
    failedAt: integer('failed_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('mail_outbox_next_try').on(table.nextTryAt)],
)
