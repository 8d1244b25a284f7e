import { audited, auditIn } from '#fairway/server/domains/actions'
import { declineInvitation, orgInput } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'decline-invitation',
    signedIn(async ({ app, session, event, param }) => {
      const { token } = await readInput(event, orgInput.answer)
      auditIn(event, await declineInvitation(app, session, { id: param('id'), token }))
    }),
  ),
})
