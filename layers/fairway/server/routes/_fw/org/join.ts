import { audited, auditIn } from '#fairway/server/domains/actions'
import { joinByDomain, orgInput } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'join-organization',
    signedIn(async ({ app, session, event }) => {
      const joined = await joinByDomain(app, session, await readInput(event, orgInput.join))
      auditIn(event, joined.joined.id)
      return joined
    }),
  ),
})
