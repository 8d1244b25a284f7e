import {
  type GuardContext,
  type InOrganization,
  type Proving,
  requireOrganization,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { limitFacts, limitSentence, type PlansConfig } from '#fairway/server/kernel/config/plans-config'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countUse, planOf } from './plan-of'

interface EntitledOptions {
  /** How many the call is about to add. Default: 1. */
  adding?: number
}

type EntitledGuard = ((context: GuardContext) => Promise<true>) & Proving<InOrganization>

/**
 * A guard that requires a feature of the organization's plan, or room under a limit. Throws `plan-feature` or `plan-limit`
 * (403) with the plan, its allowance and where to upgrade. Throws the errors of `requireOrganization` too. The write itself
 * also enforces the limit, so concurrent calls cannot exceed it together.
 */
export function entitled(name: string, { adding = 1 }: EntitledOptions = {}): EntitledGuard {
  const isMember = requireOrganization()
  const guard = async (context: GuardContext): Promise<true> => {
    isMember(context)
    await requireEntitled(requireRun().app, context.orgId ?? '', name, adding)
    return true
  }
  return Object.assign(guard, { orgRoles: isMember.orgRoles })
}

async function requireEntitled(app: App, orgId: string, name: string, adding: number): Promise<void> {
  const plans = plansOf(app)
  if (!Object.hasOwn(plans.features, name) && !Object.hasOwn(plans.limits, name))
    throw new Error(`entitled: fw.config.ts has no limit and no feature "${name}"`)
  const plan = (await planOf(app, plans, orgId)).name
  const { limits, features } = plans.plans[plan]!
  const shared = { plan, upgradeUrl: plans.upgradeUrl }
  if (Object.hasOwn(plans.features, name)) {
    if (!features.includes(name)) throw new AppError('plan-feature', { extra: { feature: name, ...shared } })
    return
  }
  const max = limits[name]
  if (max === undefined) return
  const used = (await countUse(app, { ...plans, limits: { [name]: plans.limits[name]! } }, orgId))[name] ?? 0
  if (used + adding <= max) return
  const facts = limitFacts(plans, name, plan)
  throw new AppError('plan-limit', { detail: limitSentence(facts, used), extra: { ...facts, used } })
}

/** The plans of this application. Throws when fw.config.ts declares none. */
export function plansOf(app: App): PlansConfig {
  const { plans } = app.config
  if (!plans) throw new Error('fw.config.ts declares no plans')
  return plans
}
