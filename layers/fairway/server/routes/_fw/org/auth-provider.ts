import { audited } from '#fairway/server/domains/actions'
import { getAuthProvider, orgInput, planAuthProvider, setAuthProvider } from '#fairway/server/domains/organizations'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

const plan = signedIn(async ({ app, session, event }) =>
  planAuthProvider(app, session, await readInput(event, orgInput.authProvider)),
)

const set = audited(
  'set-auth-provider',
  signedIn(async ({ app, session, event }) =>
    setAuthProvider(app, session, await readInput(event, orgInput.authProvider)),
  ),
)

export default defineMethods({
  GET: signedIn(({ app, session }) => getAuthProvider(app, session)),
  async PUT(event) {
    const { dryRun } = readQuery(event, orgInput.dryRun)
    return dryRun === 'true' || dryRun === '1' ? plan(event) : set(event)
  },
})
