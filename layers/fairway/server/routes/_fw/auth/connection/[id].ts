import { getQuery, getRouterParam } from 'h3'
import { z } from 'zod'
import { initiateConnection } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

const querySchema = z.object({
  iss: z.string().max(500).optional(),
  login_hint: z.string().max(500).optional(),
  target_link_uri: z.string().max(2000).optional(),
  return: z.string().max(2000).optional(),
})

/** The start of a sign-in at the provider's dashboard (OpenID Connect Core §4), and of links to sign in by a connection. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      const { iss, login_hint: loginHint, ...places } = parseInput(querySchema, getQuery(event))
      const targetLinkUri = places.target_link_uri ?? places.return
      const id = getRouterParam(event, 'id') ?? ''
      const start = await initiateConnection(getApp(event), id, { iss, loginHint, targetLinkUri }, requestInfo(event))
      return sendAnswer(event, { ...start, status: 302 })
    },
  },
  { isThere: event => !getApp(event).config.customSignIn },
)
