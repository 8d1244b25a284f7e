import { listConnections } from '#server/domains/oauth-client'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    return { connections: await listConnections(getApp(event), userId) }
  },
})
