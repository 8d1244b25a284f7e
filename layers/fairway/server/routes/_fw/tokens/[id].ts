import { audited } from '#fairway/server/domains/actions'
import { revokePersonalToken } from '#fairway/server/domains/oauth-server'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  DELETE: audited(
    'revoke-personal-token',
    signedIn(({ app, session, param }) => revokePersonalToken(app, session, param('id'))),
  ),
})
