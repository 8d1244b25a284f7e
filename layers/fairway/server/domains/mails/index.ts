export { previewPage, sendExample } from './preview-page'
export { sendMail, sendMailOf } from './send-mail'
export { changeTopics, topicsHref, topicsPage } from './topics'
