export { deliverWebhooks, startWebhookDelivery } from './deliver'
export { deliveryInput, listDeliveries, replayDelivery, replaySince, sendTest } from './deliveries'
export { knownTypes } from './event-types'
export {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  purgeWebhooks,
  renewSecret,
  requireLocalWebhook,
  requireWebhook,
  toWebhooks,
  webhookInput,
  webhookRows,
  webhookSealedColumns,
} from './subscriptions'
