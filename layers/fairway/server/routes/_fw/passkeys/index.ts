import { listPasskeys } from '#fairway/server/domains/sign-in'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session }) => ({ passkeys: await listPasskeys(app, session.userId) })),
})
