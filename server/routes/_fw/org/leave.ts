import { audited } from '#server/domains/audit'
import { leaveOrganization, requireOrg } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  POST: audited('leave-organization', async event => {
    await leaveOrganization(getApp(event), requireOrg(await requireSession(event), 'read-organization'))
  }),
})
