import { listAlerts, requireOperator } from '#fairway/server/domains/security-events'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    requireOperator(app, await requireSession(event))
    return { alerts: await listAlerts(app) }
  },
})
