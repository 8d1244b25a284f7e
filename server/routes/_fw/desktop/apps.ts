import { currentSnapshot, isDesktopHub } from '#server/domains/desktop-sso'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods(
  { GET: async event => currentSnapshot(getApp(event), await requireSession(event)) },
  { isThere: event => isDesktopHub(getApp(event)) },
)
