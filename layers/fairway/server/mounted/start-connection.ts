import { appendResponseHeader, getQuery, getRouterParam, type H3Event, sendRedirect } from 'h3'
import { startConnection } from '#fairway/server/domains/oauth-client'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'

/** Redirects to the provider that the person connects. */
export async function redirectToProvider(event: H3Event): Promise<unknown> {
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
