import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { planViewSchema } from '#fairway/shared/schemas/plan'
import { showPlan } from './show-plan'

export default defineOperations({
  'show-plan': operation({
    description: 'Shows the plan of your organization and its usage.',
    method: 'GET',
    path: '/_fw/org/plan',
    openIn: ['view'],
    permission: 'read-organization',
    output: z.object({ plan: z.nullable(planViewSchema) }),
    run: async (_input, { app, actor }) => ({ plan: await showPlan(app, actor.orgId) }),
  }),
})
