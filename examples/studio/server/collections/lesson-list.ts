import { defineCollection, outputOf, requireOrganization, shownPersonSchema } from '#fw'
import { storedFile } from 'nuxt-fairway/tables'
import { lessonInput, lessonPolicy, lessons } from '../database/lessons'

export default defineCollection({
  description: 'The lessons of your organization, sorted by startsAt.',
  shortName: 'Lesson',
  guard: requireOrganization(),
  item: outputOf(lessons, {
    omit: ['orgId'],
    extend: {
      price: lessonInput.shape.price,
      photo: storedFile.nullable(),
      creator: shownPersonSchema.nullable(),
      can: lessonPolicy.can,
    },
  }),
  source: lessons,
  people: { creator: 'createdBy' },
  scope: 'organization',
  filters: {
    title: 'search',
    description: 'search',
    startsAt: 'range',
    minutes: 'range',
    price: 'range',
    places: 'range',
    teacher: 'exact',
    createdBy: 'exact',
  },
  search: { title: 'title', to: '/lessons/{id}', icon: 'i-lucide-list', text: 'lessons.name' },
  order: ['title', 'startsAt', 'minutes', 'price', 'places', 'booked', 'teacher', 'createdAt', 'updatedAt'],
  defaultOrder: [{ field: 'startsAt', direction: 'ASC' }],
  paginationClientItemsPerPage: true,
})
