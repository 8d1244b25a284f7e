import { listMembers, orgInput, requireOrg } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(({ app, session, event }) => {
    const { orgId } = requireOrg(session, 'list-members')
    return listMembers(app, orgId, readQuery(event, orgInput.members))
  }),
})
