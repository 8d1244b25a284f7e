import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { listPersonalTokens, makePersonalToken, personalTokenInput } from '#fairway/server/domains/oauth-server'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  GET: signedIn(async ({ app, session }) => ({ tokens: await listPersonalTokens(app, session) })),
  POST: audited(
    'make-personal-token',
    signedIn(async ({ app, event }) => {
      const session = await requireRecentSignIn(event)
      const made = await makePersonalToken(app, session, await readInput(event, personalTokenInput))
      setResponseStatus(event, 201)
      return made
    }),
  ),
})
