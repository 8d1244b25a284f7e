import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineCollection, outputOf, requireOrganization } from '#fw'
import { bookings } from '../database/bookings'
import { slots } from '../database/slots'

export default defineCollection({
  description: 'The bookings of your organization.',
  guard: requireOrganization(),
  item: outputOf(bookings, { omit: ['orgId', 'createdBy', 'createdByName'], extend: { startsAt: z.string() } }),
  source: {
    root: bookings,
    columns: { startsAt: slots.startsAt },
    joins: [{ table: slots, on: eq(slots.id, bookings.slotId), kind: 'one' }],
  },
  scope: 'organization',
  filters: { name: 'search' },
  order: ['startsAt', 'name'],
  defaultOrder: [{ field: 'startsAt', direction: 'DESC' }],
})
