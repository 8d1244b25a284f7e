import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import {
  definePolicy,
  file,
  fileSchema,
  moneySchema,
  organizationColumns,
  person,
  personSchema,
} from 'nuxt-fairway/tables'

export const lessons = sqliteTable(
  'lessons',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    title: text('title').notNull(),
    description: text('description'),
    startsAt: integer('starts_at', { mode: 'timestamp_ms' }).notNull(),
    minutes: integer('minutes').notNull(),
    price: integer('price').notNull(),
    places: integer('places').notNull(),
    booked: integer('booked').notNull().default(0),
    teacher: person('teacher'),
    photo: file('photo', { upload: 'lesson-photo' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('lessons_org').on(table.orgId, table.title, table.id),
    index('lessons_starts_at').on(table.orgId, table.startsAt, table.id),
    uniqueIndex('lessons_org_id').on(table.orgId, table.id),
  ],
)

export const lessonId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the lesson.', collection: 'lesson-list' })
const moment = z.iso.datetime({ offset: true }).transform(at => new Date(at))

/** What people write into a lesson. */
export const lessonInput = z.object({
  title: z.string().trim().min(1).max(200),
  description: z.string().trim().max(20_000).nullable(),
  startsAt: moment,
  minutes: z.int().min(0),
  price: moneySchema('EUR', { min: 0 }),
  places: z.int().min(0),
  teacher: personSchema.nullable(),
  photo: fileSchema('lesson-photo').nullable(),
})

/** Who may do what with a lesson. */
export const lessonPolicy = definePolicy(lessons, {
  read: 'everyone',
  create: 'admin',
  update: ['admin', 'teacher'],
  delete: 'admin',
})
