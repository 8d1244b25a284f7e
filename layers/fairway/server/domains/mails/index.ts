export { previewPage, sendExample } from './preview-page'
export { mailByTopic, sendMail, sendMailOf } from './send-mail'
export { changeTopics, topicsHref, topicsPage } from './topics'
