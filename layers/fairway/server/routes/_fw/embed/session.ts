import { endEmbedSession, requireEmbedSession } from '#fairway/server/domains/pages'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  async GET(event) {
    const { path, session } = await requireEmbedSession(event)
    return { path, email: session.email, orgId: session.orgId, expiresAt: session.expiresAt }
  },
  DELETE: endEmbedSession,
})
