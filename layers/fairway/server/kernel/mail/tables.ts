import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Mails that wait for the mail server, and those that it refused; a row is deleted as soon as the server has accepted its mail.
 */
export const mailOutbox = sqliteTable(
  'mail_outbox',
  {
    id: text('id').primaryKey(),
    /** The mail's name, for operators: `invitation`. */
    name: text('name').notNull().default(''),
    /** Receiver, subject and both bodies, sealed because mails contain links that sign people in. */
    content: text('content').notNull(),
    /** Why sending was given up, in the words of the mail server. */
    error: text('error'),
    failedAt: integer('failed_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('fw_mail_outbox_failed').on(table.failedAt)],
)
