import { audited } from '#server/domains/audit'
import { getRouterParam } from 'h3'
import { revokeInvitation } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  DELETE: audited('revoke-invitation', async event => {
    const session = await requireSession(event)
    await revokeInvitation(getApp(event), session, getRouterParam(event, 'id') ?? '')
  }),
})
