import { listConnections } from '#fairway/server/domains/oauth-client'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    return { connections: await listConnections(getApp(event), userId) }
  },
})
