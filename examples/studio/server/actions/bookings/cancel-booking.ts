import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { accessDenied, accessibleTo, defineAction, requireOrganization } from '#fw'
import { bookings } from '../../database/bookings'
import { lessons } from '../../database/lessons'

export default defineAction({
  description: 'Cancels a booking. Its place is free again.',
  guard: requireOrganization(),
  destructive: true,
  input: z.object({ id: z.string().max(64).meta({ collection: 'booking-list' }) }),
  audit: { keep: ['id'], subject: { table: bookings, title: bookings.name } },
  async run({ id }, { db, session }) {
    await db.transaction(async on => {
      const mine = and(eq(bookings.id, id), accessibleTo(bookings, session, 'delete'))
      const [row] = await on.delete(bookings).where(mine).returning()
      if (!row) throw await accessDenied(db, bookings, session, { id, to: 'delete' })
      const booked = sql`${lessons.booked} - 1`
      await on.update(lessons).set({ booked }).where(eq(lessons.id, row.lessonId))
    })
  },
})
