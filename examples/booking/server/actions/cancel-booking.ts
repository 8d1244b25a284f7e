import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { accessDenied, accessibleTo, defineAction, requireOrganization } from '#fw'
import { bookings } from '../database/bookings'

export default defineAction({
  description: 'Cancels a booking. Its time is free again.',
  guard: requireOrganization(),
  destructive: true,
  input: z.object({ id: z.string().max(64) }),
  audit: { keep: ['id'], subject: { table: bookings, title: bookings.name } },
  async run({ id }, { db, session }) {
    const mine = and(eq(bookings.id, id), accessibleTo(bookings, session))
    const [row] = await db.delete(bookings).where(mine).returning({ id: bookings.id })
    if (!row) throw await accessDenied(db, bookings, session, { id, to: 'delete' })
  },
})
