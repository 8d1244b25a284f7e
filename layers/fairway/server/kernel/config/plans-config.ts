// `plans` of defineFwConfig: the features and limits of an organization, by its plan.
import { z } from 'zod'
import { pageUrl } from './public-pages'

const name = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must have small letters, digits and hyphens')
const title = z.string().trim().min(1).max(60)

const planOptions = z.strictObject({
  title,
  /** What it costs, as people read it: “€20 a month”. */
  price: title.optional(),
  /** The maximum per limit for an organization on this plan. A limit that is not named here is unlimited. */
  limits: z.record(z.string(), z.int().min(0)).default({}),
  features: z.array(z.string()).default([]),
})

const plansOptions = z
  .strictObject({
    /** Tables with `org_id` whose rows are counted: `deals: { counts: 'deals', title: 'Deals' }`. `org_members` counts members and open invitations. */
    limits: z.record(name, z.strictObject({ counts: z.string().min(1), title })).default({}),
    /** The features that a plan includes or leaves out, each with its title. */
    features: z.record(name, title).default({}),
    plans: z.record(name, planOptions),
    /** The plan of an organization that has none assigned. */
    default: z.string(),
    /** The plan of a new organization for its first days. */
    trial: z.strictObject({ plan: z.string(), days: z.int().min(1).max(365) }).optional(),
    /** Where people get a larger plan: a page of this application or an https address. */
    upgradeUrl: pageUrl.optional(),
  })
  .check(({ value, issues }) => {
    for (const [path, message] of unknownNames(value))
      issues.push({ code: 'custom', path: [path], message, input: value })
  })

type PlansOptions = z.output<typeof plansOptions>

const unknownNames = ({ plans, limits, features, ...rest }: PlansOptions): [path: string, message: string][] => [
  ...Object.keys(limits)
    .filter(each => Object.hasOwn(features, each))
    .map((each): [string, string] => ['limits', `"${each}" is a feature too`]),
  ...[rest.default, ...(rest.trial ? [rest.trial.plan] : [])]
    .filter(each => !Object.hasOwn(plans, each))
    .map((each): [string, string] => ['plans', `there is no plan "${each}"`]),
  ...Object.values(plans).flatMap(plan => [
    ...Object.keys(plan.limits)
      .filter(each => !Object.hasOwn(limits, each))
      .map((each): [string, string] => ['plans', `there is no limit "${each}"`]),
    ...plan.features
      .filter(each => !Object.hasOwn(features, each))
      .map((each): [string, string] => ['plans', `there is no feature "${each}"`]),
  ]),
]

/** The option `plans` of `defineFwConfig`; without it, organizations have no limits. */
export const plansOption = plansOptions.nullable().default(null)

/** The plans of this application. */
export type PlansConfig = z.output<typeof plansOptions>

/** Whether a plan allows more of a limit than this maximum. */
export const allowsMore = ({ limits }: PlansConfig['plans'][string], limit: string, max: number): boolean =>
  (limits[limit] ?? Infinity) > max

/** The facts of a refusal at a limit: its name and maximum, the plan, the next plan that allows more, and where to get it. */
export function limitFacts({ plans, limits, upgradeUrl }: PlansConfig, limit: string, plan: string) {
  const max = plans[plan]?.limits[limit] ?? 0
  const [nextPlan, next] = Object.entries(plans).find(([, each]) => allowsMore(each, limit, max)) ?? []
  return {
    limit,
    limitTitle: limits[limit]?.title,
    plan,
    planTitle: plans[plan]?.title,
    max,
    next: next && { plan: nextPlan, title: next.title, max: next.limits[limit] ?? null },
    upgradeUrl,
  }
}

/**
 * The same as an English sentence, for programs: “Quotes: 20 of 20 on the plan Free. Pro has 10000.” Pages say it in the language
 * of the person (`limitText`).
 */
export const limitSentence = (
  { limitTitle, planTitle, max, next }: ReturnType<typeof limitFacts>,
  used = max,
): string =>
  `${limitTitle}: ${used} of ${max} on the plan ${planTitle}.${next ? ` ${next.title} has ${next.max ?? 'no limit'}.` : ''}`
