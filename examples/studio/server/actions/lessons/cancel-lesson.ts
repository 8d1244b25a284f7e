import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { accessDenied, accessibleTo, defineAction, requireOrganization, sendMail } from '#fw'
import { bookings } from '../../database/bookings'
import { lessonId, lessons } from '../../database/lessons'
import { studios } from '../../database/studios'
import { lessonEvent } from '../../utils/lesson-event'

export default defineAction({
  description: 'Cancels a lesson and its bookings for good. Everyone who has booked gets an email.',
  guard: requireOrganization(),
  destructive: true,
  input: z.object({ id: lessonId }),
  output: z.object({ id: z.string() }),
  audit: { keep: ['id'], subject: { table: lessons, title: lessons.title } },
  run: ({ id }, { db, session }) =>
    db.transaction(async on => {
      const booked = await on
        .select()
        .from(bookings)
        .innerJoin(studios, eq(studios.orgId, bookings.orgId))
        .where(eq(bookings.lessonId, id))
      const mine = and(eq(lessons.id, id), accessibleTo(lessons, session, 'delete'))
      const [lesson] = await on.delete(lessons).where(mine).returning()
      if (!lesson) throw await accessDenied(db, lessons, session, { id, to: 'delete' })
      const { title, startsAt } = lesson
      for (const { bookings: booking, studios: studio } of booked)
        await sendMail(on, 'lesson-canceled', {
          to: booking.email,
          language: booking.language,
          data: { name: booking.name, title, startsAt: startsAt.toISOString(), timeZone: studio.timeZone },
          attachments: [{ event: { ...lessonEvent(lesson, studio), method: 'cancel', sequence: 1 } }],
        })
      return { id }
    }),
})
