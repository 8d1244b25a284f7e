export { sendMailJob as default } from '#fairway/server/kernel/mail/queue-mail'
