export { previewPage, sendExample } from './preview-page'
export { notify, notifyByTopic, sendMail, sendMailOf } from './send-mail'
export { changeTopics, topicsHref, topicsPage } from './topics'
