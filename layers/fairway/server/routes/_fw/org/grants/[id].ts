import { audited } from '#fairway/server/domains/actions'
import { disconnectOrgApp } from '#fairway/server/domains/oauth-server'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  DELETE: audited(
    'end-grant',
    signedIn(({ app, session, param }) => disconnectOrgApp(app, session, param('id'))),
  ),
})
