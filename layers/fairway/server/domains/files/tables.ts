import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from '../../kernel/database/columns'

/**
 * Files of rows. The bytes are in the storage under the same id. `pending`: uploaded, and no row has it yet; `kept`: a row has it;
 * `unwanted`: its row has gone or lets go of it, and a job deletes it.
 */
export const files = sqliteTable(
  'fw_files',
  {
    id: id(),
    /** The organization in which it was uploaded; that of its row once it has one. */
    orgId: text('org_id').notNull(),
    /** Who uploaded it; null once that account has ended. */
    userId: text('user_id'),
    /** The name of the declaration in `server/uploads`. */
    upload: text('upload').notNull(),
    name: text('name').notNull(),
    /** Found by its bytes. */
    type: text('type').notNull(),
    size: integer('size').notNull(),
    /** SHA-256 of the bytes as base64url. */
    sha256: text('sha256').notNull(),
    /** Of images, in pixels, where their head says it. */
    width: integer('width'),
    height: integer('height'),
    state: text('state', { enum: ['pending', 'kept', 'unwanted'] }).notNull(),
    /** The row that has it, or had it last. */
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
