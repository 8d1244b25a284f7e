import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { organizationColumns, references } from 'nuxt-fairway/tables'
import { slots } from './slots'

export const bookings = sqliteTable(
  'bookings',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    slotId: text('slot_id').notNull(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    bookedAt: integer('booked_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    // The database decides who was first: a second booking of a slot can't be written.
    uniqueIndex('bookings_slot').on(table.orgId, table.slotId),
    references({ orgId: table.orgId, id: table.slotId }, slots),
  ],
)
