export { webhookJob } from './deliver'
export { deliveryInput, listDeliveries, replayDelivery, sendTest } from './deliveries'
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
  webhookRows,
  webhookSealedColumns,
} from './subscriptions'
