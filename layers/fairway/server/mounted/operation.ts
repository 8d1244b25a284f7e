import { appendResponseHeader, getQuery, getRouterParam, type H3Event, sendRedirect } from 'h3'
import { catalog } from '#fw/actions'
import { operations } from '#fw/operations'
import { serveAddresses, servedActions, servedOperations } from '#fairway/server/domains/actions'
import { withActionToken, withPersonalToken } from '#fairway/server/domains/mcp'
import { startConnection } from '#fairway/server/domains/oauth-client'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'

/** Redirects to the provider that the person connects. */
async function redirectToProvider(event: H3Event): Promise<unknown> {
  const { userId } = await requireSession(event)
  const { url, setCookies } = await startConnection(getApp(event), {
    userId,
    provider: getRouterParam(event, 'provider') ?? '',
    returnPath: getQuery(event).return,
    cookieHeader: event.node.req.headers.cookie,
  })
  for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
  return sendRedirect(event, url, 302)
}

/** Serves every operation of the platform and every action with an address; the build mounts it at their exact paths. */
export default serveAddresses([
  { method: 'GET', path: '/_fw/connections/:provider', answer: redirectToProvider },
  ...servedOperations(operations, (event, answer, write) =>
    withPersonalToken(event, { scope: OPERATOR_SCOPE, write }, answer),
  ),
  ...servedActions(catalog, withActionToken),
])
