import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { revokeInvitation } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  DELETE: audited('revoke-invitation', async event => {
    const session = await requireSession(event)
    await revokeInvitation(getApp(event), session, getRouterParam(event, 'id') ?? '')
  }),
})
