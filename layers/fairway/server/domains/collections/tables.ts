import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Totals that triggers maintain: one row for each table and scope. */
export const totals = sqliteTable(
  'fw_totals',
  {
    /** The table and the kind of its scope. */
    total: text('total').notNull(),
    /** The organization; empty when one total covers all rows. */
    scope: text('scope').notNull(),
    amount: integer('amount').notNull(),
  },
  table => [primaryKey({ columns: [table.total, table.scope] })],
)

/**
 * The rows that the row being written would replace. Empty between statements, except for leftovers of a row that replaced none.
 */
export const totalConflicts = sqliteTable(
  'fw_total_conflicts',
  {
    total: text('total').notNull(),
    row: integer('row').notNull(),
    scope: text('scope').notNull(),
  },
  table => [index('fw_total_conflicts_total').on(table.total)],
)
