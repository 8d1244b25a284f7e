import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { waitingApprovalSchema } from '#fairway/shared/schemas/approval'
import { listWaitingFor } from './list-waiting'

export default defineOperations({
  'list-approvals': operation({
    description: 'Lists the calls of apps that wait for your approval, oldest first.',
    method: 'GET',
    path: '/_fw/approvals',
    openIn: ['view'],
    output: z.object({ approvals: z.array(waitingApprovalSchema) }),
    run: async (_input, { app, session }) => ({ approvals: await listWaitingFor(app, session) }),
  }),
})
