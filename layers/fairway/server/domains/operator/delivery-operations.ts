// The deliveries to every webhook of an installation.
import { z } from 'zod'
import { auditIn, defineOperations, operation } from '#fairway/server/domains/actions'
import { listAllDeliveries, replayDelivery, webhookOfDelivery } from '#fairway/server/domains/webhooks'
import { cursorShape } from '#fairway/server/kernel/database/read-page'
import { listedDeliverySchema } from '#fairway/shared/schemas/operator'
import { DELIVERY_STATES } from '#fairway/shared/schemas/webhook'

export default defineOperations({
  'list-all-deliveries': operation({
    description:
      'Lists what is delivered to the webhooks of the installation and of all organizations, newest first, 50 a page.',
    method: 'GET',
    path: '/_fw/operator/deliveries',
    permission: 'operator',
    input: z.object({ state: z.enum(DELIVERY_STATES).default('failed'), ...cursorShape }),
    output: z.object({ deliveries: z.array(listedDeliverySchema), cursor: z.string().nullable() }),
    run: (query, { app }) => listAllDeliveries(app, query),
  }),
  'resend-delivery': operation({
    description: 'Resends one delivery of any webhook.',
    method: 'POST',
    path: '/_fw/operator/deliveries/:id/resend',
    permission: 'operator',
    input: z.object({ id: z.string().max(100) }),
    audit: ['id'],
    auditsElsewhere: true,
    async run({ id }, { app, event }) {
      const webhook = await webhookOfDelivery(app, id)
      await replayDelivery(app, webhook, id)
      auditIn(event, webhook.orgId)
    },
  }),
})
