import { getRouterParam } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { resendInvitation } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  POST: audited('resend-invitation', async event => {
    const session = await requireSession(event)
    const { clientAddress } = requestInfo(event)
    await resendInvitation(getApp(event), session, getRouterParam(event, 'id') ?? '', clientAddress)
  }),
})
