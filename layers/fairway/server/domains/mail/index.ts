export { startMailDelivery, sweepMails } from './deliver-mails'
export { outboxPage } from './outbox-page'
export { queueMail } from './queue-mail'
export type { MailContent } from './render-mail'
