import { audited } from '#fairway/server/domains/actions'
import { orgInput, requireOrg, transferOwnership } from '#fairway/server/domains/organizations'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'transfer-ownership',
    signedIn(async ({ app, session, event }) => {
      const actor = requireOrg(session, 'transfer-ownership')
      await requireRecentSignIn(event)
      const { email } = await readInput(event, orgInput.transfer)
      await transferOwnership(app, actor, email)
    }),
  ),
})
