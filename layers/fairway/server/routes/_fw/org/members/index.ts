import { listMembers, orgInput, requireOrg } from '#fairway/server/domains/organizations'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  async GET(event) {
    const { orgId } = requireOrg(await requireSession(event), 'list-members')
    return listMembers(getApp(event), orgId, readQuery(event, orgInput.members))
  },
})
