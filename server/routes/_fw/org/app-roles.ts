import { audited } from '#server/domains/audit'
import { assignAppRole, listAppRoles } from '#server/domains/app-roles'
import { orgInput } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput, readQuery } from '#server/foundation/http/read-input'

export default defineMethods({
  async GET(event) {
    const session = await requireSession(event)
    return listAppRoles(getApp(event), session, readQuery(event, orgInput.appRoles).appId)
  },
  PUT: audited('assign-app-role', async event => {
    const session = await requireSession(event)
    const input = await readInput(event, orgInput.assignAppRole)
    await assignAppRole(getApp(event), session, input)
    return listAppRoles(getApp(event), session, input.appId)
  }),
})
