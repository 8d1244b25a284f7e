export { deliverWebhooks, startWebhookDelivery } from './deliver'
export { deliveryInput, listDeliveries, replayDelivery, sendTest } from './deliveries'
export { knownTypes } from './event-types'
export { replaySince } from './replay'
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
