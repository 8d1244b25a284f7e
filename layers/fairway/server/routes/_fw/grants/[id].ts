import { audited } from '#fairway/server/domains/actions'
import { disconnectApp } from '#fairway/server/domains/oauth-server'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  DELETE: audited(
    'end-own-grant',
    signedIn(({ app, session, param }) => disconnectApp(app, session, param('id'))),
  ),
})
