import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownableColumns } from 'nuxt-fairway/tables'

export const notes = sqliteTable(
  'notes',
  {
    id: text('id').primaryKey(),
    ...ownableColumns(),
    title: text('title').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('notes_owner').on(table.ownerEmail, table.createdAt),
    index('notes_org').on(table.orgId, table.visibility),
  ],
)
