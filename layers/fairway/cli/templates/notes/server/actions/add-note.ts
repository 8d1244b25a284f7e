import { z } from 'zod'
import { defineAction, newId, ownedBy } from '#fw'
import { notes } from '../database/notes'

export default defineAction({
  description: 'Adds a note that only you can see.',
  input: z.object({ title: z.string().trim().min(1).max(200).describe('One line.') }),
  output: z.object({ id: z.string() }),
  async run({ title }, { db, session, now }) {
    const id = newId()
    await db.insert(notes).values({ id, ...ownedBy(session), title, createdAt: now() })
    return { id }
  },
})
