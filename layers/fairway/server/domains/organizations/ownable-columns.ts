import { text } from 'drizzle-orm/sqlite-core'

/** Who sees a row besides its owner and those it is shared with: nobody, its organization to read, its organization to read and change. */
export const VISIBILITIES = ['private', 'org', 'org-edit'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** The columns of a row that belongs to a person, in an organization, and that may be shared. */
export const ownableColumns = () => ({
  ownerEmail: text('owner_email').notNull(),
  /** The organization the row was made in; null when it was made outside of one. */
  orgId: text('org_id'),
  /**
   * `private`: its owner and those it is shared with; `org`: every member of its organization may read it; `org-edit`: every member
   * may change it too. Sharing and deleting stay with its owner and share admins.
   */
  visibility: text('visibility', { enum: VISIBILITIES }).notNull().default('private'),
})
