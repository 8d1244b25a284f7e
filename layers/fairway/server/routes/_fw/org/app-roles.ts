import { audited } from '#fairway/server/domains/actions'
import { assignAppRole, listAppRoles, orgInput } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'

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
