import { z } from 'zod'
import { auditIn, defineOperations, operation } from '#fairway/server/domains/actions'
import { planViewSchema } from '#fairway/shared/schemas/plan'
import { changePlan } from './set-plan'
import { showPlan } from './show-plan'

export default defineOperations({
  'show-plan': operation({
    description: 'Shows the plan of your organization, and how much of it is used.',
    method: 'GET',
    path: '/_fw/org/plan',
    permission: 'read-organization',
    output: z.object({ plan: z.nullable(planViewSchema) }),
    run: async (_input, { app, actor }) => ({ plan: await showPlan(app, actor.orgId) }),
  }),
  'set-plan': operation({
    description: 'Gives an organization a plan, for operators.',
    method: 'PUT',
    path: '/_fw/operator/organizations/:orgId/plan',
    permission: 'operator',
    input: z.object({ orgId: z.string().max(100), plan: z.string().max(100), until: z.iso.datetime().nullish() }),
    output: z.object({ isChanged: z.boolean() }),
    audit: ['orgId', 'plan'],
    auditsElsewhere: true,
    async run({ orgId, plan, until }, { app, event }) {
      const isChanged = await changePlan(app, app.db.orm, orgId, plan, { until: until ? new Date(until) : null })
      auditIn(event, orgId)
      return { isChanged }
    },
  }),
})
