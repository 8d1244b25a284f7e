import { z } from 'zod'
import { defineAction, inOrganization, newId, requireOrganization } from '#fw'
import { slots } from '../database/slots'

export default defineAction({
  description: 'Opens times that visitors can book, one after the other. Times that are already open stay.',
  guard: requireOrganization(),
  input: z.object({
    from: z.iso.datetime(),
    count: z.int().min(1).max(50).default(1),
    minutes: z.int().min(5).max(480).default(30),
  }),
  output: z.object({ opened: z.int() }),
  async run({ from, count, minutes }, { db, session }) {
    const rows = Array.from({ length: count }, (_, index) => ({
      id: newId(),
      ...inOrganization(session),
      startsAt: new Date(Date.parse(from) + index * minutes * 60_000),
    }))
    const opened = await db.insert(slots).values(rows).onConflictDoNothing().returning({ id: slots.id })
    return { opened: opened.length }
  },
})
