import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Totals that triggers keep: one row for each table and scope. */
export const totals = sqliteTable(
  'fw_totals',
  {
    /** The table and what its rows are told apart by. */
    total: text('total').notNull(),
    /** The organization; empty where all rows are one. */
    scope: text('scope').notNull(),
    amount: integer('amount').notNull(),
  },
  table => [primaryKey({ columns: [table.total, table.scope] })],
)

/** While one row is written: the rows that it would replace. Empty between statements, or left over from a row that replaced none. */
export const totalConflicts = sqliteTable(
  'fw_total_conflicts',
  {
    total: text('total').notNull(),
    row: integer('row').notNull(),
    scope: text('scope').notNull(),
  },
  table => [index('fw_total_conflicts_total').on(table.total)],
)
