import { showSignIn, submitSignIn } from '#fairway/server/domains/sign-in'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** The sign-in page; its forms post to its own address, so the return path stays in the query. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  GET: async event => sendAnswer(event, await showSignIn(event)),
  POST: async event => sendAnswer(event, await submitSignIn(event, await readFormBody(event))),
})
