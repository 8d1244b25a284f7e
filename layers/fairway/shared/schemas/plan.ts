import * as z from 'zod/mini'

/** The plan of an organization, as its members see it. */
export const planViewSchema = z.object({
  name: z.string(),
  title: z.string(),
  /** What it costs, as people read it. */
  price: z.nullable(z.string()),
  /** When it ends; null for no end. */
  until: z.nullable(z.string()),
  isTrial: z.boolean(),
  /** `max` is null for an unlimited one. */
  limits: z.array(z.object({ name: z.string(), title: z.string(), used: z.number(), max: z.nullable(z.number()) })),
  features: z.array(z.object({ name: z.string(), title: z.string(), isIncluded: z.boolean() })),
  /** The other plans that have something more, and what that is; `max` is null for an unlimited one. */
  others: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      price: z.nullable(z.string()),
      limits: z.array(z.object({ name: z.string(), title: z.string(), max: z.nullable(z.number()) })),
      features: z.array(z.object({ name: z.string(), title: z.string() })),
    }),
  ),
  /** Where people get a larger plan. */
  upgradeUrl: z.nullable(z.string()),
})

export type PlanView = z.infer<typeof planViewSchema>
