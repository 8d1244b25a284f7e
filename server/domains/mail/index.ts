export { startMailDelivery, sweepMails } from './deliver-mails'
export { type OutboxLanguage, outboxPage, toOutboxLanguage } from './outbox-page'
export { queueMail } from './queue-mail'
export type { MailContent } from './render-mail'
