import { listConnections } from '#fairway/server/domains/oauth-client'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session }) => ({ connections: await listConnections(app, session.userId) })),
})
