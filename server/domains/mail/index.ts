export { startMailDelivery, sweepMails } from './deliver-mails'
export { queueMail } from './queue-mail'
export type { MailContent } from './render-mail'
