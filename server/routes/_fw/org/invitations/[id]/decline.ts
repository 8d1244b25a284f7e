import { audited } from '#server/domains/audit'
import { getRouterParam } from 'h3'
import { declineInvitation, orgInput } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  POST: audited('decline-invitation', async event => {
    const session = await requireSession(event)
    const { token } = await readInput(event, orgInput.answer)
    await declineInvitation(getApp(event), session, { id: getRouterParam(event, 'id') ?? '', token })
  }),
})
