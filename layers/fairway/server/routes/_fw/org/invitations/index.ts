import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { invite, listPendingInvitations, mustConfirmToInvite, orgInput } from '#fairway/server/domains/organizations'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session }) => ({
    invitations: await listPendingInvitations(app, session),
    needsVerifiedEmail: mustConfirmToInvite(app, session),
  })),
  POST: audited(
    'invite-member',
    signedIn(async ({ app, session, event }) => {
      const input = await readInput(event, orgInput.invite)
      const isOne = 'email' in input
      const result = await invite(app, session, isOne ? [input] : input.invitations, requestInfo(event).clientAddress)
      if (isOne && result.failed[0]) throw new AppError(result.failed[0].code)
      setResponseStatus(event, 201)
      return result
    }),
  ),
})
