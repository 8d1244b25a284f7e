import { audited } from '#fairway/server/domains/actions'
import { resendInvitation } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'resend-invitation',
    signedIn(({ app, session, event, param }) =>
      resendInvitation(app, session, param('id'), requestInfo(event).clientAddress),
    ),
  ),
})
