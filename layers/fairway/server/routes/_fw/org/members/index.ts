import { listMembers, orgInput, requireOrg } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'
import { mayInOrg } from '#fairway/shared/roles'

export default defineMethods({
  GET: signedIn(({ app, session, event }) => {
    const { orgId, role } = requireOrg(session, 'list-members')
    const { role: roles, sort: order, ...query } = readQuery(event, orgInput.members)
    const showsActivity = mayInOrg(role, 'read-member-activity')
    return listMembers(app, orgId, { ...query, roles, order, showsActivity })
  }),
})
