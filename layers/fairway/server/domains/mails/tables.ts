import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/** Who has switched a topic of mails off. The address is hashed, so the table says nothing to who does not know it. */
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
