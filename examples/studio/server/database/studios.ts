import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { definePolicy, organizationColumns } from 'nuxt-fairway/tables'

/** How an organization appears to visitors: one row for each. */
export const studios = sqliteTable(
  'studios',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    slug: text('slug').notNull(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    timeZone: text('time_zone').notNull(),
  },
  table => [uniqueIndex('studios_org').on(table.orgId), uniqueIndex('studios_slug').on(table.slug)],
)

export const studioInput = z.object({
  slug: z.string().regex(/^[a-z][a-z0-9-]{1,39}$/),
  name: z.string().trim().min(1).max(100),
  email: z.email().max(254),
  timeZone: z.string().refine(zone => Intl.supportedValuesOf('timeZone').includes(zone)),
})

definePolicy(studios, { read: 'everyone', create: 'admin', update: 'admin', delete: 'admin' })
