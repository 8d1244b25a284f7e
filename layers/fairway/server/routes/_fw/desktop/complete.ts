import { isDesktopHub, readNonce, sendCeremony, showCompletion } from '#fairway/server/domains/oauth-server'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods(
  {
    GET: async event =>
      sendCeremony(event, await showCompletion(getApp(event), await getSession(event), readNonce(event))),
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)
