import { audited, auditIn } from '#fairway/server/domains/actions'
import { orgInput, switchOrganization } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  PUT: audited(
    'switch-organization',
    signedIn(async ({ app, session, event }) => {
      const input = await readInput(event, orgInput.active)
      const context = await switchOrganization(app, session, input)
      auditIn(event, input.orgId)
      return context
    }),
  ),
})
