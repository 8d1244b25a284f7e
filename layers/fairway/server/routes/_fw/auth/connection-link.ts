import { getSession } from '#fairway/server/domains/sessions'
import { finishLink } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** Where the sign-in page returns to once the owner of an account has proved it: the connection is linked, and signs in. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const answer = await finishLink(getApp(event), await getSession(event), requestInfo(event))
      return sendAnswer(event, { setCookies: [], ...answer, status: 302 })
    },
  },
  { isThere: event => !getApp(event).config.customSignIn },
)
