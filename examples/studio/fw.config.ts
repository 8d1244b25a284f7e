import { eq, gt } from 'drizzle-orm'
import { defineFwConfig } from '#fw'
import { lessons } from './server/database/lessons'
import { studios } from './server/database/studios'

export default defineFwConfig({
  brand: { name: 'Studio' },
  defaultLanguage: 'de',
  languages: ['de', 'en'],
  // A mistyped filter of a list returns 400 instead of all rows.
  collections: { unknownParameters: 'refuse' },
  plans: {
    limits: { lessons: { counts: 'lessons', title: 'Lessons' } },
    plans: {
      free: { title: 'Free', limits: { lessons: 5 } },
      studio: { title: 'Studio', price: '€29 a month', limits: { lessons: 500 } },
    },
    default: 'free',
    upgradeUrl: '/upgrade',
  },
  publicPages: {
    async sitemap({ db }) {
      const open = await db
        .select()
        .from(lessons)
        .innerJoin(studios, eq(studios.orgId, lessons.orgId))
        .where(gt(lessons.startsAt, new Date()))
      const pages = open.map(({ lessons: { id, updatedAt }, studios: { slug } }) => ({
        path: `/studios/${slug}/${id}`,
        changedAt: updatedAt,
      }))
      const lists = await db.select({ slug: studios.slug }).from(studios)
      return [...lists.map(({ slug }) => ({ path: `/studios/${slug}` })), ...pages]
    },
  },
})
