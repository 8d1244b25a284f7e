import type { H3Event } from 'h3'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { getSession, requireSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import type { Session } from '#fairway/shared/schemas/session'
import { type AuthorContext, authorContext } from './author-context'

/**
 * What an action gets, for a route: of the person who is signed in. Throws `unauthenticated` without a session and
 * `provider-required` where their organization does not open to it; with `public` the session may be null instead.
 */
export async function useFairway(event: H3Event): Promise<AuthorContext>
export async function useFairway(event: H3Event, options: { public: true }): Promise<AuthorContext<Session | null>>
export async function useFairway(event: H3Event, options?: { public: true }): Promise<AuthorContext<Session | null>> {
  const session = options?.public ? await getSession(event) : await requireSession(event)
  if (!options?.public) checkOrgOpens(session)
  return authorContext(getApp(event), { session, signal: requestSignal(event), requestId: getRequestId(event) })
}
