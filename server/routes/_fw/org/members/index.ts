import { listMembers, orgInput, requireOrg } from '#server/domains/organizations'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readQuery } from '#server/foundation/http/read-input'

export default defineMethods({
  async GET(event) {
    const { orgId } = requireOrg(await requireSession(event), 'list-members')
    return listMembers(getApp(event), orgId, readQuery(event, orgInput.members))
  },
})
