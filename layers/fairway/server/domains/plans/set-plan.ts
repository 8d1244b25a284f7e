import { and, eq, lte, sql } from 'drizzle-orm'
import { recordWithin } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { orgExists } from '#fairway/server/domains/organizations'
import { plansOf } from './entitled'
import { organizationPlans } from './tables'

/** Writes a plan: the database, or a transaction on it. */
type Writes = Pick<Orm, 'insert' | 'all' | 'delete'>

interface PlanChange {
  /** When the organization falls back to the default plan. Default: never. */
  until?: Date | null
  isTrial?: boolean
}

/**
 * Assigns a plan to an organization, inside the transaction when `db` is one: a rollback undoes it. Returns whether this
 * changed anything. A change writes the audit row and the webhook event `set-plan`. Throws `invalid-input` for a plan that is
 * not declared and `not-found` for an unknown organization. Throws outside requests, actions and jobs.
 */
export async function setPlan(db: Writes, orgId: string, plan: string, change: PlanChange = {}): Promise<boolean> {
  const { app, session, caller } = requireRun()
  const isChanged = await changePlan(app, db, orgId, plan, change)
  const person = await sessionOfRun({ app, session })
  if (isChanged) await recordPlan(app, db, { orgId, plan, session: person, caller })
  return isChanged
}

/** The same without an audit row, for callers that write their own. */
export async function changePlan(
  app: App,
  db: Writes,
  orgId: string,
  plan: string,
  { until = null, isTrial = false }: PlanChange = {},
): Promise<boolean> {
  const { plans, default: byDefault } = plansOf(app)
  if (!Object.hasOwn(plans, plan)) {
    const message = `There is no plan ${plan}. The plans are ${Object.keys(plans).join(', ')}.`
    throw new AppError('invalid-input', { detail: message, errors: [{ path: 'plan', message }] })
  }
  if (until && until <= app.now()) return changePlan(app, db, orgId, byDefault)
  if (!(await orgExists(db, orgId))) throw new AppError('not-found', { detail: 'There is no such organization.' })
  const values = { plan, until, isTrial, changedAt: app.now() }
  const { plan: was, until: ended, isTrial: tried } = organizationPlans
  const changed = await db
    .insert(organizationPlans)
    .values({ orgId, ...values })
    .onConflictDoUpdate({
      target: organizationPlans.orgId,
      set: values,
      setWhere: sql`${was} is not excluded.plan or ${ended} is not excluded.until or ${tried} is not excluded.is_trial`,
    })
    .returning({ orgId: organizationPlans.orgId })
  return changed.length > 0
}

const recordPlan = (app: App, db: Writes, { orgId, plan, session = null, caller = 'http' }: Recorded): Promise<void> =>
  recordWithin(app, db, { action: 'set-plan', caller, session, orgId, input: { orgId, plan } })

interface Recorded {
  orgId: string
  plan: string
  session?: Parameters<typeof recordWithin>[2]['session']
  caller?: Parameters<typeof recordWithin>[2]['caller']
}

/** Moves organizations whose plan has ended to the default plan. Each move writes an audit row. */
export async function endPlans(app: App): Promise<void> {
  const { plans } = app.config
  if (!plans) return
  const isOver = lte(organizationPlans.until, app.now())
  const over = await app.db.orm.select({ orgId: organizationPlans.orgId }).from(organizationPlans).where(isOver)
  for (const { orgId } of over)
    await app.db.orm.transaction(async tx => {
      const isThis = and(eq(organizationPlans.orgId, orgId), isOver)
      const ended = await tx.delete(organizationPlans).where(isThis).returning({ orgId: organizationPlans.orgId })
      if (ended.length > 0) await recordPlan(app, tx, { orgId, plan: plans.default, caller: 'job' })
    })
}
