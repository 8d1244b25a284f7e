import type { H3Event } from 'h3'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer } from '#fairway/server/kernel/http/request-info'
import { isEmbedToken } from '#fairway/shared/embed-token'
import type { Session } from '#fairway/shared/schemas/session'
import type { SessionSource } from './session-source'
import { authDisabled } from './sources/auth-disabled'
import { custom } from './sources/custom'
import { libraryCookie } from './sources/library-cookie'

/** Where a session is looked for, in this order; the first one found is used. */
const sources: readonly SessionSource[] = [custom, libraryCookie, authDisabled]

declare module 'h3' {
  interface H3EventContext {
    session?: Promise<Session | null>
    /** The row of the session, where it is one of ours. */
    sessionId?: string
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

/**
 * The row that signs this browser in; null where the session is not one of ours. It is the one that `getSession` has found, also
 * when it has ended since: what may only be done while it is there asks for that in its own statement (`holdsSession`).
 */
export async function sessionIdOf(event: H3Event): Promise<string | null> {
  await getSession(event)
  return event.context.sessionId ?? null
}

/** The session as it is now: for answers that show what this very request has changed. */
export function freshSession(event: H3Event): Promise<Session> {
  event.context.session = undefined
  return requireSession(event)
}

async function findSession(event: H3Event): Promise<Session | null> {
  const app = getApp(event)
  for (const source of sourcesFor(event, app)) {
    const session = await source.find(event, app)
    if (session) return session
  }
  return null
}

// A request that brings a credential of its own is who that says, never who the cookie beside it says.
function sourcesFor(event: H3Event, { config }: App): readonly SessionSource[] {
  const bearer = readBearer(event.node.req)
  if (bearer === undefined) return sources.filter(source => source.isUsed(config))
  // The application's own sign-in may read its own credential; a token of an embedded page is nobody's sign-in.
  return config.customSignIn && !isEmbedToken(bearer) ? [custom] : []
}
