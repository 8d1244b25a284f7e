import { audited } from '#fairway/server/domains/actions'
import { revokeInvitation } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  DELETE: audited(
    'revoke-invitation',
    signedIn(({ app, session, param }) => revokeInvitation(app, session, param('id'))),
  ),
})
