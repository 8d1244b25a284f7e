import { and, eq, gt } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, checkForm, defineAction, emailSchema, formCheckInput, newId, sendMail } from '#fw'
import { bookings } from '../database/bookings'
import { slots } from '../database/slots'

export default defineAction({
  description: 'Books a free time for a visitor and confirms it by email.',
  public: true,
  mcp: false,
  limit: { per: 'network', max: 20, window: 60 * 60 },
  input: z.object({
    slot: z.string().min(1).max(64),
    name: z.string().trim().min(1).max(100),
    email: emailSchema,
    check: formCheckInput,
  }),
  audit: { subject: { table: bookings, title: bookings.name, path: '/bookings' } },
  output: z.object({ id: z.string(), startsAt: z.date() }),
  async run({ slot: id, name, email, check }, { db, now }) {
    await checkForm(check)
    return db.transaction(async on => {
      const [slot] = await on
        .select()
        .from(slots)
        .where(and(eq(slots.id, id), gt(slots.startsAt, now())))
      if (!slot) throw new AppError('not-found', { detail: 'This time is no longer offered.' })
      const { orgId, startsAt } = slot
      const row = { id: newId(), orgId, createdByName: name, slotId: id, name, email, bookedAt: now() }
      const [booked] = await on.insert(bookings).values(row).onConflictDoNothing().returning({ id: bookings.id })
      if (!booked) throw new AppError('conflict', { detail: 'This time was booked by someone else in the meantime.' })
      await sendMail(on, 'slot-booked', { to: email, data: { name, startsAt: startsAt.toISOString() } })
      return { id: row.id, startsAt }
    })
  },
})
