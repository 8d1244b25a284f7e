import { eq, getTableName, inArray } from 'drizzle-orm'
import { countSeats, SEATS_TABLE } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { PlansConfig } from '#fairway/server/kernel/config/plans-config'
import { quoteName } from '#fairway/server/kernel/database/sql-text'
import { organizationPlans } from './tables'

export const PLANS_TABLE = getTableName(organizationPlans)

/** The plan that an organization is on. */
export interface PlanOf {
  name: string
  /** When the plan ends; null for a plan without an end. */
  until: Date | null
  isTrial: boolean
}

/** The plan of an organization: the assigned one while it is declared, otherwise the default plan. */
export async function planOf({ db }: Pick<App, 'db'>, plans: PlansConfig, orgId: string): Promise<PlanOf> {
  const [row] = await db.orm.select().from(organizationPlans).where(eq(organizationPlans.orgId, orgId))
  if (!row || !Object.hasOwn(plans.plans, row.plan)) return { name: plans.default, until: null, isTrial: false }
  return { name: row.plan, until: row.until, isTrial: row.isTrial }
}

/** The titles of these organizations' plans, by id. Empty where the application has no plans. */
export async function plansOfMany({ db, config }: App, orgIds: readonly string[]): Promise<Map<string, string>> {
  const { plans } = config
  if (!plans) return new Map()
  const rows = await db.orm
    .select({ orgId: organizationPlans.orgId, plan: organizationPlans.plan })
    .from(organizationPlans)
    .where(inArray(organizationPlans.orgId, [...orgIds]))
  const planNames = new Map(rows.map(({ orgId, plan }) => [orgId, plan]))
  const titles = new Map(Object.entries(plans.plans).map(([name, { title }]) => [name, title]))
  const titleOf = (name = '') => titles.get(name) ?? titles.get(plans.default) ?? ''
  return new Map(orgIds.map(orgId => [orgId, titleOf(planNames.get(orgId))]))
}

/** How many rows of an organization count against a limit, as SQL. `org` is an SQL expression; counting stops at `most`. */
export const countSql = (table: string, org: string, most?: number): string =>
  table === SEATS_TABLE
    ? countSeats(org)
    : `(select count(*) from (select 1 from ${quoteName(table)} t where t.org_id = ${org}${most === undefined ? '' : ` limit ${most}`}))`

/** The current use of an organization, by the name of the limit. */
export async function countUse(
  { db }: Pick<App, 'db'>,
  { limits }: PlansConfig,
  orgId: string,
): Promise<Record<string, number>> {
  const names = Object.keys(limits)
  if (names.length === 0) return {}
  const counts = Object.values(limits).map(({ counts: table }, at) => `${countSql(table, '?1')} as n${at}`)
  const { rows } = await db.client.execute({ sql: `select ${counts.join(', ')}`, args: [orgId] })
  return Object.fromEntries(names.map((name, at) => [name, Number(rows[0]?.[`n${at}`])]))
}
