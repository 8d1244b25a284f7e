import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { invite, listPendingInvitations, mustConfirmToInvite, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    const session = await requireSession(event)
    return {
      invitations: await listPendingInvitations(app, session),
      needsVerifiedEmail: mustConfirmToInvite(app, session),
    }
  },
  POST: audited('invite-members', async event => {
    const session = await requireSession(event)
    const input = await readInput(event, orgInput.invite)
    const isOne = 'email' in input
    const result = await invite(
      getApp(event),
      session,
      isOne ? [input] : input.invitations,
      requestInfo(event).clientAddress,
    )
    if (isOne && result.failed[0]) throw new AppError(result.failed[0].code)
    setResponseStatus(event, 201)
    return result
  }),
})
