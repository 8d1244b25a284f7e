export { webhookJob as default } from '#fairway/server/domains/webhooks'
