import { text } from 'drizzle-orm/sqlite-core'

/** The columns of a row that belongs to a person, in an organization, and that may be shared. */
export const ownableColumns = () => ({
  ownerEmail: text('owner_email').notNull(),
  /** The organization the row was made in; null when it was made outside of one. */
  orgId: text('org_id'),
  /** `private`: its owner and those it is shared with; `org`: every member of its organization may read it. */
  visibility: text('visibility', { enum: ['private', 'org'] })
    .notNull()
    .default('private'),
})
