import type { App } from '#fairway/server/kernel/app-context'
import type { PlanView } from '#fairway/shared/schemas/plan'
import { countUse, planOf } from './plan-of'

/** The plan of an organization with its limits, their current use and its features. Null where the application has no plans. */
export async function showPlan(app: App, orgId: string): Promise<PlanView | null> {
  const { plans } = app.config
  if (!plans) return null
  const { name, until, isTrial } = await planOf(app, plans, orgId)
  const { title, limits, features } = plans.plans[name]!
  const used = await countUse(app, plans, orgId)
  return {
    name,
    title,
    until: until?.toISOString() ?? null,
    isTrial,
    limits: Object.entries(plans.limits).map(([limit, { title: of }]) => ({
      name: limit,
      title: of,
      used: used[limit] ?? 0,
      max: limits[limit] ?? null,
    })),
    features: Object.entries(plans.features).map(([feature, of]) => ({
      name: feature,
      title: of,
      isIncluded: features.includes(feature),
    })),
    upgradeUrl: plans.upgradeUrl ?? null,
  }
}
