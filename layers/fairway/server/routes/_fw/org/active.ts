import { audited } from '#fairway/server/domains/actions'
import { orgInput, switchOrganization } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  PUT: audited(
    'switch-organization',
    signedIn(async ({ app, session, event }) =>
      switchOrganization(app, session, await readInput(event, orgInput.active)),
    ),
  ),
})
