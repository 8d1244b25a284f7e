import { currentSnapshot, isDesktopHub } from '#fairway/server/domains/oauth-server'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods(
  { GET: async event => currentSnapshot(getApp(event), await requireSession(event)) },
  { isThere: event => isDesktopHub(getApp(event)) },
)
