import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../kernel/database/columns'

/** The plan assigned to an organization. An organization without a row is on the default plan. */
export const organizationPlans = sqliteTable(
  'fw_organization_plans',
  {
    orgId: text('org_id').primaryKey(),
    plan: text('plan').notNull(),
    /** When the organization falls back to the default plan; null for a plan without an end. */
    until: timestamp('until'),
    isTrial: integer('is_trial', { mode: 'boolean' }).notNull().default(false),
    changedAt: timestamp('changed_at').notNull(),
  },
  table => [index('fw_organization_plans_until').on(table.until)],
)
