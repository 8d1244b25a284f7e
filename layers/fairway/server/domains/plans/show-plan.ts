import type { App } from '#fairway/server/kernel/app-context'
import { allowsMore, type PlansConfig } from '#fairway/server/kernel/config/plans-config'
import type { PlanView } from '#fairway/shared/schemas/plan'
import { countUse, planOf } from './plan-of'

/** The plan of an organization with its limits, their current use and its features. Null where the application has no plans. */
export async function showPlan(app: App, orgId: string): Promise<PlanView | null> {
  const { plans } = app.config
  if (!plans) return null
  const { name, until, isTrial } = await planOf(app, plans, orgId)
  const { title, price, limits, features } = plans.plans[name]!
  const used = await countUse(app, plans, orgId)
  return {
    name,
    title,
    price: price ?? null,
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
    others: othersOf(plans, name),
    upgradeUrl: plans.upgradeUrl ?? null,
  }
}

/** The other plans that have something more, and what that is. */
function othersOf({ plans, limits, features }: PlansConfig, name: string): PlanView['others'] {
  const current = plans[name]!
  return Object.entries(plans)
    .map(([other, plan]) => ({
      name: other,
      title: plan.title,
      price: plan.price ?? null,
      limits: Object.entries(limits)
        .filter(([limit]) => allowsMore(plan, limit, current.limits[limit] ?? Infinity))
        .map(([limit, { title }]) => ({ name: limit, title, max: plan.limits[limit] ?? null })),
      features: plan.features
        .filter(feature => !current.features.includes(feature))
        .map(feature => ({ name: feature, title: features[feature] ?? feature })),
    }))
    .filter(plan => plan.limits.length + plan.features.length > 0)
}
