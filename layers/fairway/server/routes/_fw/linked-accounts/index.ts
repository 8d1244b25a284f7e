import { listLinkedAccounts } from '#fairway/server/domains/people'
import { linkInput, startLinking } from '#fairway/server/domains/sign-in'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(({ app, session }) => listLinkedAccounts(app, session.userId)),
  async POST(event) {
    const { userId, id: sessionId } = await requireRecentSignIn(event)
    const input = await readInput(event, linkInput)
    const { url, setCookies } = await startLinking(getApp(event), { userId, sessionId }, input, requestInfo(event))
    return sendAnswer(event, { body: { url }, setCookies })
  },
})
