import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/** The topics of mails that people have switched off. Addresses are hashed, so the table does not reveal them. */
export const mailOptOuts = sqliteTable(
  'fw_mail_opt_outs',
  {
    /** The SHA-256 of the address. */
    address: text('address').notNull(),
    topic: text('topic').notNull(),
    at: timestamp('at').notNull(),
  },
  table => [primaryKey({ columns: [table.address, table.topic] })],
)
