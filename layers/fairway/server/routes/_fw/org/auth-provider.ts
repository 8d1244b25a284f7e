import { audited } from '#fairway/server/domains/actions'
import {
  getAuthProvider,
  orgInput,
  planAuthProvider,
  requireOrg,
  setAuthProvider,
} from '#fairway/server/domains/organizations'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

// A dry run changes nothing, so it needs no recent sign-in.
const plan = signedIn(async ({ app, session, event }) => {
  requireOrg(session, 'set-auth-provider')
  return planAuthProvider(app, session, await readInput(event, orgInput.authProvider))
})

const set = audited(
  'set-auth-provider',
  signedIn(async ({ app, session, event }) => {
    requireOrg(session, 'set-auth-provider')
    await requireRecentSignIn(event)
    return setAuthProvider(app, session, await readInput(event, orgInput.authProvider))
  }),
)

export default defineMethods({
  GET: signedIn(({ app, session }) => getAuthProvider(app, session)),
  async PUT(event) {
    const { dryRun } = readQuery(event, orgInput.dryRun)
    return dryRun === 'true' || dryRun === '1' ? plan(event) : set(event)
  },
})
