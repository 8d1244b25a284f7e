import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What each character becomes when a text is folded: the rows of `FOLDS`, written by a migration. */
export const folds = sqliteTable('fw_folds', {
  character: text('character').primaryKey(),
  folded: text('folded').notNull(),
})
