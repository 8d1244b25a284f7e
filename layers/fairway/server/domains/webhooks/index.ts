export { webhookJob } from './deliver'
export {
  deliveryInput,
  listAllDeliveries,
  listDeliveries,
  replayDelivery,
  sendTest,
  webhookOfDelivery,
} from './deliveries'
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
