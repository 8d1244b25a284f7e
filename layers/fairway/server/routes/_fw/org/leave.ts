import { audited } from '#fairway/server/domains/actions'
import { leaveOrganization, requireOrg } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  POST: audited('leave-organization', async event => {
    await leaveOrganization(getApp(event), requireOrg(await requireSession(event), 'read-organization'))
  }),
})
