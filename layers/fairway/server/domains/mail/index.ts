export { startMailDelivery, sweepMails } from './deliver-mails'
export { mailContent } from './mail-content'
export { outboxPage } from './outbox-page'
export { queueMail } from './queue-mail'
