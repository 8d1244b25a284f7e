import { audited } from '#server/domains/audit'
import { orgInput, switchOrganization } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  PUT: audited('switch-organization', async event => {
    const session = await requireSession(event)
    return switchOrganization(getApp(event), session, await readInput(event, orgInput.active))
  }),
})
