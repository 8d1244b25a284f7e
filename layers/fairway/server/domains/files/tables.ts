import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from '../../kernel/database/columns'

/**
 * Files of rows. The bytes are in the storage under the same id, and only bytes with a row here are ever deleted. `writing`: the
 * bytes are arriving. `pending`: uploaded, without a row yet. `kept`: a row refers to it. `unwanted`: its row was deleted or no
 * longer refers to it. `deleting`: a job deletes the bytes, then this row.
 */
export const files = sqliteTable(
  'fw_files',
  {
    id: id(),
    /** The organization of the upload; once a row refers to the file, the organization of the row. */
    orgId: text('org_id').notNull(),
    /** The uploader; null once that account is deleted. */
    userId: text('user_id'),
    /** The name of the declaration in `server/uploads`. */
    upload: text('upload').notNull(),
    name: text('name').notNull(),
    /** Detected from the bytes. */
    type: text('type').notNull(),
    size: integer('size').notNull(),
    /** SHA-256 of the bytes as base64url. */
    sha256: text('sha256').notNull(),
    /** Size of an image in pixels, when its first bytes contain it. */
    width: integer('width'),
    height: integer('height'),
    state: text('state', { enum: ['writing', 'pending', 'kept', 'unwanted', 'deleting'] }).notNull(),
    /** The row that refers to the file, or most recently did. */
    tableName: text('table_name'),
    rowId: text('row_id'),
    columnName: text('column_name'),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [
    index('fw_files_state').on(table.state, table.createdAt),
    index('fw_files_org').on(table.orgId),
    index('fw_files_user').on(table.userId),
    index('fw_files_row').on(table.tableName, table.columnName, table.rowId),
  ],
)

/** One row: the id of this installation, which the marker beside the stored files repeats. */
export const installation = sqliteTable('fw_installation', {
  id: id(),
  /** When the marker was written; null before the first file. */
  markedAt: timestamp('marked_at'),
})
