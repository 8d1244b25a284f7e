import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { declineInvitation, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  POST: audited('decline-invitation', async event => {
    const session = await requireSession(event)
    const { token } = await readInput(event, orgInput.answer)
    await declineInvitation(getApp(event), session, { id: getRouterParam(event, 'id') ?? '', token })
  }),
})
