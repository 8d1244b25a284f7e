import { isDesktopHub, sendPageAnswer, showCompletion } from '#fairway/server/domains/oauth-server'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestQuery } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'

export default defineMethods(
  {
    openIn: ['signed-out'],
    async GET(event) {
      const nonce = new URLSearchParams(requestQuery(event)).get('nonce') ?? ''
      const visit = { session: await getSession(event), nonce, language: requestLanguage(event) }
      return sendPageAnswer(event, await showCompletion(getApp(event), visit))
    },
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)
