import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { definePolicy, organizationColumns, references, via } from 'nuxt-fairway/tables'
import { lessons } from './lessons'

export const bookings = sqliteTable(
  'bookings',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    language: text('language', { enum: ['de', 'en'] }).notNull(),
    lessonId: text('lesson_id').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('bookings_created').on(table.orgId, table.createdAt, table.id),
    index('bookings_lesson').on(table.orgId, table.lessonId),
    references({ orgId: table.orgId, id: table.lessonId }, lessons, 'cascade'),
  ],
)

/** Visitors book, so no member creates or changes a booking. Teachers see those of their own lessons. */
export const bookingPolicy = definePolicy(bookings, {
  read: ['admin', via(lessons, 'teacher')],
  create: [],
  update: [],
  delete: ['admin', via(lessons, 'teacher')],
})
