import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineCollection, outputOf } from '#fw'
import { storedFile } from 'nuxt-fairway/tables'
import { lessons } from '../database/lessons'
import { studios } from '../database/studios'

export default defineCollection({
  description: 'The classes of all studios that visitors can book, the next one first.',
  public: true,
  mcp: false,
  item: outputOf(lessons, {
    omit: ['orgId', 'createdBy', 'createdByName', 'teacher'],
    extend: { photo: storedFile.nullable(), slug: z.string(), studio: z.string(), timeZone: z.string() },
  }),
  source: {
    root: lessons,
    columns: { slug: studios.slug, studio: studios.name, timeZone: studios.timeZone },
    joins: [{ table: studios, on: eq(studios.orgId, lessons.orgId), kind: 'one' }],
  },
  filters: { slug: 'exact', startsAt: 'range' },
  order: ['startsAt'],
  defaultOrder: [{ field: 'startsAt', direction: 'ASC' }],
  paginationItemsPerPage: 100,
})
