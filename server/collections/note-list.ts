import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { accessOf, callerPlaceholders, defineCollection } from '#fw'
import { noteSchema } from '../actions/notes/_my-note'
import { notes } from '../database/notes'

export default defineCollection({
  description: 'Your notes and notes shared with you in this organization: pinned first, then most recently changed.',
  shortName: 'Note',
  item: noteSchema.extend({
    content: z.string().optional().describe('Title and text together, to search in; not part of the answer.'),
  }),
  source: {
    root: notes,
    columns: {
      access: accessOf(notes, callerPlaceholders),
      content: sql`${notes.title} || char(10) || ${notes.text}`,
    },
  },
  omit: ['content'],
  people: { owner: 'ownerEmail' },
  scope: 'shared',
  filters: { archived: 'exact', ownerEmail: 'exact', access: 'exact', title: 'search', content: 'search' },
  search: {
    title: 'title',
    description: 'text',
    filter: 'content',
    to: '/notes/{id}',
    icon: 'i-lucide-notebook-pen',
    text: 'pages.notes',
  },
  order: ['title', 'updatedAt', 'pinned'],
  defaultOrder: [
    { field: 'pinned', direction: 'DESC' },
    { field: 'updatedAt', direction: 'DESC' },
  ],
  paginationClientItemsPerPage: true,
  paginationMaximumItemsPerPage: 100,
})
