import { currentSnapshot, isDesktopHub } from '#fairway/server/domains/desktop-sso'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods(
  { GET: async event => currentSnapshot(getApp(event), await requireSession(event)) },
  { isThere: event => isDesktopHub(getApp(event)) },
)
