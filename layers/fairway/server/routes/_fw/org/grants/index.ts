import { listOrgGrants } from '#fairway/server/domains/oauth-server'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session }) => ({ grants: await listOrgGrants(app, session) })),
})
