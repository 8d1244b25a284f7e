import { isDesktopHub, readNonce, sendCeremony, showCompletion } from '#server/domains/desktop-sso'
import { getSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods(
  {
    GET: async event =>
      sendCeremony(event, await showCompletion(getApp(event), await getSession(event), readNonce(event))),
  },
  { isThere: event => isDesktopHub(getApp(event)) },
)
