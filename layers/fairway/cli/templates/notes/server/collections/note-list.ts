import { z } from 'zod'
import { defineCollection } from '#fw'
import { notes } from '../database/notes'

export default defineCollection({
  description: 'Your notes, the newest first.',
  item: z.object({ id: z.string(), title: z.string(), createdAt: z.string() }),
  source: notes,
  scope: 'shared',
  filters: { title: 'search' },
  order: ['title', 'createdAt'],
  defaultOrder: [{ field: 'createdAt', direction: 'DESC' }],
})
