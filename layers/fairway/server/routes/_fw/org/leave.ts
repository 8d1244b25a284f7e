import { audited } from '#fairway/server/domains/actions'
import { leaveOrganization, requireOrg } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'leave-organization',
    signedIn(({ app, session }) => leaveOrganization(app, requireOrg(session, 'read-organization'))),
  ),
})
