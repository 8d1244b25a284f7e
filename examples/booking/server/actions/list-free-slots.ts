import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction, outputOf } from '#fw'
import { bookings } from '../database/bookings'
import { slots } from '../database/slots'

export default defineAction({
  description: 'Lists the next 50 free times of an organization.',
  public: true,
  readOnly: true,
  input: z.object({ organization: z.string().max(64) }),
  output: z.object({ slots: z.array(outputOf(slots, { omit: ['orgId', 'createdBy', 'createdByName'] })) }),
  run: async ({ organization }, { db, now }) => ({
    slots: await db
      .select({ id: slots.id, startsAt: slots.startsAt })
      .from(slots)
      .leftJoin(bookings, eq(bookings.slotId, slots.id))
      .where(and(eq(slots.orgId, organization), gt(slots.startsAt, now()), isNull(bookings.id)))
      .orderBy(asc(slots.startsAt))
      .limit(50),
  }),
})
