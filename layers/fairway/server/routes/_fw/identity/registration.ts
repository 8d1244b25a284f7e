import { z } from 'zod'
import { checkRegistration, isIdentityHub, requireHub } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { readBearer, requestInfo } from '#fairway/server/kernel/http/request-info'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readQuery } from '#fairway/server/kernel/http/read-input'

const text = z.string().min(1).max(512)
const querySchema = z.object({ app: text, client_id: text, redirect_uri: text })

/** Reports to an application with the shared secret whether its registration here matches; `fw hub check` calls it. */
export default defineMethods(
  {
    openIn: ['signed-out', 'setup', 'view'],
    GET(event) {
      const app = getApp(event)
      const { app: appId, client_id: clientId, redirect_uri: redirectUri } = readQuery(event, querySchema)
      const { clientAddress } = requestInfo(event)
      const token = readBearer(event.node.req)
      return checkRegistration(app, requireHub(app), { appId, clientId, redirectUri, token, clientAddress })
    },
  },
  { isThere: event => isIdentityHub(getApp(event)) },
)
