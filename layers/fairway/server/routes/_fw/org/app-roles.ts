import { audited } from '#fairway/server/domains/actions'
import { assignAppRole, listAppRoles, orgInput } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(({ app, session, event }) => listAppRoles(app, session, readQuery(event, orgInput.appRoles).appId)),
  PUT: audited(
    'assign-app-role',
    signedIn(async ({ app, session, event }) => {
      const input = await readInput(event, orgInput.assignAppRole)
      await assignAppRole(app, session, input)
      return listAppRoles(app, session, input.appId)
    }),
  ),
})
