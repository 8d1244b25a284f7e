import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineCollection, outputOf, requireOrganization } from '#fw'
import { bookingPolicy, bookings } from '../database/bookings'
import { lessons } from '../database/lessons'

export default defineCollection({
  description: 'The bookings that you can read: all of them for admins, those of their own lessons for teachers.',
  shortName: 'Booking',
  guard: requireOrganization(),
  item: outputOf(bookings, {
    omit: ['orgId', 'createdBy', 'createdByName'],
    extend: { lessonTitle: z.string(), startsAt: z.string(), can: bookingPolicy.can },
  }),
  source: {
    root: bookings,
    columns: { lessonTitle: lessons.title, startsAt: lessons.startsAt },
    joins: [{ table: lessons, on: eq(lessons.id, bookings.lessonId), kind: 'one' }],
  },
  scope: 'organization',
  filters: { name: 'search', lessonId: 'exact' },
  order: ['name', 'createdAt'],
  defaultOrder: [{ field: 'createdAt', direction: 'DESC' }],
})
