import type { H3Event } from 'h3'
import { getApp } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import type { SessionSource } from './session-source'
import { authDisabled } from './sources/auth-disabled'
import { libraryCookie } from './sources/library-cookie'

/** Where a session is looked for, in this order; the first one found is used. */
const sources: readonly SessionSource[] = [libraryCookie, authDisabled]

declare module 'h3' {
  interface H3EventContext {
    session?: Promise<Session | null>
    /** Set while an application page is rendered: pages are the same for every visitor. */
    isImpersonal?: boolean
  }
}

/** The signed-in session of this request or null, looked up once per request; never a substitute identity (SPEC: authentication rule 2). */
export function getSession(event: H3Event): Promise<Session | null> {
  if (event.context.isImpersonal)
    throw new Error('the session was read while rendering a page that every visitor shares')
  event.context.session ??= findSession(event)
  return event.context.session
}

/** The signed-in session of this request; throws `unauthenticated` when there is none. */
export async function requireSession(event: H3Event): Promise<Session> {
  const session = await getSession(event)
  if (!session) throw new AppError('unauthenticated')
  return session
}

/** The session as it is now: for answers that show what this very request has changed. */
export function freshSession(event: H3Event): Promise<Session> {
  event.context.session = undefined
  return requireSession(event)
}

async function findSession(event: H3Event): Promise<Session | null> {
  const app = getApp(event)
  for (const source of sources) {
    const session = await source.find(event, app)
    if (session) return session
  }
  return null
}
