import { foreignKey, type SQLiteColumn, text } from 'drizzle-orm/sqlite-core'
import { creator } from '../../kernel/owned-rows'

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

/**
 * The columns of a row that belongs to an organization: its members work on it together, and it stays when one of them leaves. Who
 * created it is history; who is responsible for it are columns of your own, made by `person()`.
 */
export const organizationColumns = () => ({
  orgId: text('org_id').notNull(),
  /** The address of who created it; null once that account has ended. */
  createdBy: creator('created_by'),
  /** The name of who created it, as it was then. */
  createdByName: text('created_by_name').notNull(),
})

interface Reference {
  orgId: SQLiteColumn
  /** The column with the id of the row that is referred to. */
  id: SQLiteColumn
}

/**
 * The foreign key of a row that refers to another row of the same organization: the database takes no row of another one. The table
 * that is referred to needs `uniqueIndex(…).on(table.orgId, table.id)`. `restrict` keeps a row as long as others refer to it; `cascade`
 * deletes those with it, and `clear` makes their column null.
 */
export const references = (
  { orgId, id }: Reference,
  target: Reference,
  onDelete: 'restrict' | 'cascade' | 'clear' = 'restrict',
) => {
  // NO ACTION refuses what RESTRICT does, and still lets one transaction delete both rows in any order.
  const key = foreignKey({ columns: [orgId, id], foreignColumns: [target.orgId, target.id] }).onDelete(
    onDelete === 'cascade' ? 'cascade' : 'no action',
  )
  if (onDelete !== 'clear') return key
  // SET NULL on this key would clear the organization too, so a key of the one column does it. drizzle takes lists among the extras.
  const clearing = foreignKey({ columns: [id], foreignColumns: [target.id] }).onDelete('set null')
  return [key, clearing] as unknown as typeof key
}
