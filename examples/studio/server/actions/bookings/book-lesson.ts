import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, checkForm, defineAction, emailSchema, formCheckInput, newId, sendMail } from '#fw'
import { bookings } from '../../database/bookings'
import { lessonId, lessons } from '../../database/lessons'
import { studios } from '../../database/studios'
import { lessonEvent } from '../../utils/lesson-event'

export default defineAction({
  description: 'Books a place in a lesson for a visitor, and confirms it by email.',
  public: true,
  mcp: false,
  limit: { per: 'network', max: 20, window: 60 * 60 },
  input: z.object({
    lessonId,
    name: z.string().trim().min(1).max(100),
    email: emailSchema,
    language: z.enum(bookings.language.enumValues),
    check: formCheckInput,
  }),
  output: z.object({ id: z.string() }),
  audit: { subject: { table: bookings, title: bookings.name, path: '/bookings' } },
  async run({ check, ...input }, { db, now }) {
    await checkForm(check)
    return db.transaction(async on => {
      // One statement takes the place, so that two visitors never get the last one.
      const isOpen = and(
        eq(lessons.id, input.lessonId),
        gt(lessons.startsAt, now()),
        lt(lessons.booked, lessons.places),
      )
      const booked = sql`${lessons.booked} + 1`
      const [lesson] = await on.update(lessons).set({ booked }).where(isOpen).returning()
      if (!lesson) throw new AppError('conflict', { detail: 'This lesson has no free places.' })
      const { orgId, title, startsAt } = lesson
      const [studio] = await on.select().from(studios).where(eq(studios.orgId, orgId))
      if (!studio) throw new AppError('not-found')
      const row = { ...input, id: newId(), orgId, createdByName: input.name, createdAt: now() }
      await on.insert(bookings).values(row)
      await sendMail(on, 'lesson-booked', {
        to: input.email,
        language: input.language,
        data: { name: input.name, title, startsAt: startsAt.toISOString(), timeZone: studio.timeZone },
        attachments: [{ event: lessonEvent(lesson, studio) }],
      })
      return { id: row.id }
    })
  },
})
