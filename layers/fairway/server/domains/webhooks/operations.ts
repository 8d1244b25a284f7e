import { z } from 'zod'
import { catalog } from '#fw/actions'
import { operations } from '#fw/operations'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { limits } from '#fairway/server/kernel/limits/limits'
import {
  deliveryDetailsSchema,
  deliveryPageSchema,
  webhookListSchema,
  webhookSecretSchema,
} from '#fairway/shared/schemas/webhook'
import { deliveryInput, listDeliveries, replayDelivery, sendTest, showDelivery } from './deliveries'
import { knownTypes } from './event-types'
import { replaySince } from './replay'
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, renewSecret, requireWebhook } from './subscriptions'
import { webhookInput } from './webhook-input'

/** The possible names of audit rows and webhook events. */
const auditedNames = [
  ...[...catalog, ...operations.filter(({ isAudited }) => isAudited)].map(({ name }) => name),
  // Collections record their own exports.
  'export-collection',
]

export default defineOperations({
  'list-webhooks': operation({
    description: 'Lists the webhooks of your organization or of the installation, and every type of event.',
    method: 'GET',
    path: '/_fw/webhooks',
    openIn: ['view'],
    input: webhookInput.list,
    output: webhookListSchema,
    run: async ({ scope }, { app, session }) => ({
      webhooks: await listWebhooks(app, session, scope),
      types: knownTypes(scope, auditedNames),
    }),
  }),
  'create-webhook': operation({
    description: 'Adds a webhook and returns its secret once.',
    method: 'POST',
    path: '/_fw/webhooks',
    recentSignIn: true,
    limit: limits.webhookChangesPerAccount,
    input: webhookInput.create,
    output: webhookSecretSchema,
    status: 201,
    audit: ['scope', 'name', 'types', 'format'],
    run: (input, { app, session }) => createWebhook(app, session, input, auditedNames),
  }),
  'change-webhook': operation({
    description: 'Changes, pauses or resumes a webhook. A new address requires a recent sign-in.',
    method: 'PATCH',
    path: '/_fw/webhooks/:id',
    input: webhookInput.change,
    audit: ['id', 'name', 'types', 'format', 'state'],
    async run({ id, ...change }, { app, session, event }) {
      const webhook = await requireWebhook(app, session, id)
      // With a stolen session, it must be impossible to redirect the events.
      if (change.url !== undefined) await requireRecentSignIn(event)
      await changeWebhook(app, session, webhook, change, auditedNames)
    },
  }),
  'delete-webhook': operation({
    description: 'Deletes a webhook and its pending deliveries.',
    method: 'DELETE',
    path: '/_fw/webhooks/:id',
    audit: ['id'],
    run: async ({ id }, { app, session }) => deleteWebhook(app, await requireWebhook(app, session, id)),
  }),
  'renew-webhook-secret': operation({
    description: 'Returns a new secret for a webhook. The previous one also signs for some hours.',
    method: 'POST',
    path: '/_fw/webhooks/:id/secret',
    recentSignIn: true,
    limit: limits.webhookChangesPerAccount,
    input: webhookInput.renew,
    output: z.object({ ...webhookSecretSchema.shape, formerUntil: z.string() }),
    audit: ['id'],
    run: async ({ id, ...input }, { app, session }) => renewSecret(app, await requireWebhook(app, session, id), input),
  }),
  'test-webhook': operation({
    description: 'Sends the event `webhook.test`.',
    method: 'POST',
    path: '/_fw/webhooks/:id/test',
    limit: limits.webhookChangesPerAccount,
    output: z.object({ messageId: z.string() }),
    status: 202,
    audit: ['id'],
    run: async ({ id }, { app, session }) => sendTest(app, await requireWebhook(app, session, id)),
  }),
  'list-deliveries': operation({
    description: 'Lists the deliveries of a webhook, newest first.',
    method: 'GET',
    path: '/_fw/webhooks/:id/deliveries',
    openIn: ['view'],
    input: deliveryInput.list,
    output: deliveryPageSchema,
    run: async ({ id, ...query }, { app, session }) =>
      listDeliveries(app, await requireWebhook(app, session, id), query),
  }),
  'show-delivery': operation({
    description: 'Returns one delivery with its payload.',
    method: 'GET',
    path: '/_fw/webhooks/:id/deliveries/:delivery',
    openIn: ['view'],
    output: deliveryDetailsSchema,
    run: async ({ id, delivery }, { app, session }) =>
      showDelivery(app, await requireWebhook(app, session, id), delivery),
  }),
  'replay-delivery': operation({
    description: 'Resends one delivery.',
    method: 'POST',
    path: '/_fw/webhooks/:id/deliveries/:delivery',
    limit: limits.webhookChangesPerAccount,
    audit: ['id', 'delivery'],
    run: async ({ id, delivery }, { app, session }) =>
      replayDelivery(app, await requireWebhook(app, session, id), delivery),
  }),
  'replay-webhook': operation({
    description: 'Resends the events since a time. A dry run only counts them.',
    method: 'POST',
    path: '/_fw/webhooks/:id/replay',
    limit: limits.webhookChangesPerAccount,
    input: deliveryInput.replay,
    output: z.object({ events: z.int(), isDryRun: z.boolean() }),
    audit: ['id', 'since', 'include'],
    dryRun: true,
    run: async ({ id, ...input }, { app, session, isDryRun }) =>
      replaySince(app, await requireWebhook(app, session, id), input, isDryRun),
  }),
})
