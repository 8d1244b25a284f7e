import { audited } from '#server/domains/audit'
import { getRouterParam } from 'h3'
import { resendInvitation } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readVisitor } from '#server/foundation/http/visitor'

export default defineMethods({
  POST: audited('resend-invitation', async event => {
    const session = await requireSession(event)
    const { clientAddress } = readVisitor(event)
    await resendInvitation(getApp(event), session, getRouterParam(event, 'id') ?? '', clientAddress)
  }),
})
