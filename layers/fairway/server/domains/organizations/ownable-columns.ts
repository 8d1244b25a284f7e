import { foreignKey, type SQLiteColumn, text } from 'drizzle-orm/sqlite-core'
import { creator } from '../../kernel/owned-rows'

/** Visibility beyond the owner and shares: only those, the organization to read, or the organization to read and change. */
export const VISIBILITIES = ['private', 'org', 'org-edit'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** The columns of a row that belongs to a person, in an organization, and that may be shared. */
export const ownableColumns = () => ({
  ownerEmail: text('owner_email').notNull(),
  /** The organization the row was created in; null when it was created outside one. */
  orgId: text('org_id'),
  /**
   * `private`: visible to its owner and the people it is shared with. `org`: every member of its organization may read it.
   * `org-edit`: every member may change it too. Sharing and deleting require its owner or a share admin.
   */
  visibility: text('visibility', { enum: VISIBILITIES }).notNull().default('private'),
})

/**
 * The columns of a row that belongs to an organization: its members work on it together, and it stays when one of them leaves.
 * The creator is history; for the people responsible, add your own columns with `person()`.
 */
export const organizationColumns = () => ({
  orgId: text('org_id').notNull(),
  /** The address of the creator; null once that account has ended. */
  createdBy: creator('created_by'),
  /** The name of the creator at that time. */
  createdByName: text('created_by_name').notNull(),
})

interface Reference {
  orgId: SQLiteColumn
  /** The column with the id of the referenced row. */
  id: SQLiteColumn
}

/**
 * The foreign key of a row that refers to another row of the same organization. The database rejects a row of another one. The
 * referenced table needs `uniqueIndex(…).on(table.orgId, table.id)`. `restrict` keeps a row while others refer to it. `cascade`
 * deletes those with it, and `clear` sets their column to null.
 */
export const references = (
  { orgId, id }: Reference,
  target: Reference,
  onDelete: 'restrict' | 'cascade' | 'clear' = 'restrict',
) => {
  // NO ACTION refuses the same deletions as RESTRICT, and still lets one transaction delete both rows in any order.
  const key = foreignKey({ columns: [orgId, id], foreignColumns: [target.orgId, target.id] }).onDelete(
    onDelete === 'cascade' ? 'cascade' : 'no action',
  )
  if (onDelete !== 'clear') return key
  // SET NULL on this key would clear the organization too, so a second key on the one column does it. drizzle accepts lists in
  // the extras.
  const clearing = foreignKey({ columns: [id], foreignColumns: [target.id] }).onDelete('set null')
  return [key, clearing] as unknown as typeof key
}
