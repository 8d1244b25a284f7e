import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { organizationColumns } from 'nuxt-fairway/tables'

export const slots = sqliteTable(
  'slots',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    startsAt: integer('starts_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    uniqueIndex('slots_org_id').on(table.orgId, table.id),
    uniqueIndex('slots_start').on(table.orgId, table.startsAt),
  ],
)
