import type { H3Event } from 'h3'
import { z } from 'zod'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { OpenIn } from '#fairway/server/kernel/http/methods'
import { requestOrg, shownOrg } from '#fairway/server/kernel/http/request-org'
import { readBearer, requestInfo, requestPath } from '#fairway/server/kernel/http/request-info'
import { isEmbedToken } from '#fairway/shared/secrets'
import type { Session } from '#fairway/shared/schemas/session'
import { withRun } from '#fairway/server/kernel/current-run'
import { checkInstallationOpens } from '#fairway/server/domains/organizations'
import { AUTH_DISABLED_PROVIDER, confirmPassword, hasPassword } from '#fairway/server/domains/people'
import { workingIn } from '#fairway/shared/org-path'
import { limits } from '../../kernel/limits/limits'
import { rateLimit, resetRateLimit } from '../../kernel/limits/rate-limit'
import type { ServerSession } from './act-as'
import { authDisabled, cookieNow, custom, sessionCookie, type SessionSource } from './sources'
import { seenThrough } from './view-as'

/** The sources of a session in this order; the first match is used. */
const sources: readonly SessionSource[] = [custom, sessionCookie]

declare module 'h3' {
  interface H3EventContext {
    session?: Promise<ServerSession | null>
    /** The operator's own session while they view the application as another person. */
    operator?: ServerSession
    /** Set while an application page is rendered: pages are the same for every visitor. */
    isImpersonal?: boolean
  }
}

/**
 * The signed-in session of this request or null, looked up once per request; never a substitute identity (SPEC: authentication
 * rule 2). Throws `no-such-organization` where the request names an organization that the person is no member of.
 * The `id` stays set when the row ends during the request. Writes that require a live session check it in their own statement
 * (`SESSION_HOLDS`).
 */
export function getSession(event: H3Event): Promise<ServerSession | null> {
  if (event.context.isImpersonal)
    throw new Error('the session was read while rendering a page that every visitor shares')
  event.context.session ??= findSession(event)
  return event.context.session.then(session => reaching(event, session))
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Returns the session where the declaration behind the address is open to it. Throws `view-only`, `second-factor-setup-required`,
 * `terms-due` and `organization-changed` elsewhere. Middleware runs before the declaration is known: in a view it gets the session to read.
 */
function reaching(event: H3Event, session: ServerSession | null): ServerSession | null {
  const { context, method } = event
  const { matchedRoute, openIn = [], operator } = context
  if (session?.viewedBy) {
    if (operator && openIn.includes('view-as-operator')) return operator
    if (matchedRoute ? !openIn.includes('view') : !SAFE.has(method)) throw new AppError('view-only')
  }
  if (session && matchedRoute) {
    checkSetUp(session, openIn)
    if (!openIn.includes('setup')) checkShown(event, session)
  }
  return session
}

/**
 * Throws `organization-changed` when the page behind a request shows another organization than the session's. A form would save
 * there, and a list would mix both.
 */
function checkShown({ node: { req } }: H3Event, session: ServerSession): void {
  const shown = shownOrg(req)
  if (shown !== undefined && shown !== workingIn(session)) throw new AppError('organization-changed')
}

/** Throws where a person must set up a second factor or accept the terms first. */
function checkSetUp(session: ServerSession, openIn: OpenIn): void {
  if (openIn.includes('setup')) return
  checkInstallationOpens(session)
  if (session.termsDue) throw new AppError('terms-due')
}

/** The signed-in session of this request. Throws `unauthenticated` when there is none, and what `getSession` throws. */
export async function requireSession(event: H3Event): Promise<ServerSession> {
  const session = await getSession(event)
  if (!session) throw new AppError('unauthenticated')
  checkSetUp(session, event.context.openIn ?? [])
  return session
}

/** Reads the session again, for responses that show changes made by this request. */
export function freshSession(event: H3Event): Promise<ServerSession> {
  event.context.session = undefined
  return requireSession(event)
}

/** The current session of a long-running response; null when it has ended. Does not count as a use of the session. */
export const sessionNow = async (event: H3Event): Promise<ServerSession | null> =>
  reaching(event, await findSession(event, source => (source === sessionCookie ? cookieNow : source)))

async function findSession(
  event: H3Event,
  as = (source: SessionSource): SessionSource => source,
): Promise<ServerSession | null> {
  const app = getApp(event)
  for (const source of sourcesFor(event, app)) {
    const sourceSession = await as(source).find(event, app)
    if (!sourceSession) continue
    const session = sourceSession.isOperator ? await seenThrough(event, app, sourceSession) : sourceSession
    app.trace?.person(getRequestId(event), source.name, session)
    if (requestOrg(event.node.req) !== undefined && workingIn(session) === null)
      throw new AppError('no-such-organization')
    admitWrites(event)
    return session
  }
  app.trace?.person(getRequestId(event), 'none', null)
  return null
}

// A request with its own credential is never identified by the cookie that it also sends.
function sourcesFor(event: H3Event, { config }: App): readonly SessionSource[] {
  if (config.authDisabled) return [authDisabled]
  const bearer = readBearer(event.node.req)
  if (bearer === undefined) return sources.filter(source => source.isUsed(config))
  // The application's own sign-in may read its own credential. A token of an embedded page is not a sign-in.
  return config.customSignIn && !isEmbedToken(bearer) ? [custom] : []
}

/** The requests being answered whose authors' code may write. Any other event, such as an imitation, admits nothing. */
const admitted = new WeakSet<H3Event>()

/** Lets code of authors write in this request: its session was found, or its route is declared public. */
export const admitWrites = (event: H3Event): void => void admitted.add(event)

/** Runs `work` as a request: code that it calls can read the application and this request's session. */
export const withRequestRun = <T>(event: H3Event, work: () => T): T =>
  withRun(
    {
      get unprotected() {
        return admitted.has(event) ? undefined : `${event.method} ${requestPath(event)}`
      },
      app: getApp(event),
      session: () => getSession(event),
      orgSlug: requestOrg(event.node.req),
      hasRecentSignIn: () => hasRecentSignIn(event),
      get clientAddress() {
        return requestInfo(event).clientAddress
      },
      get userAgent() {
        return requestInfo(event).userAgent
      },
    },
    work,
  )

const RECENT_IN_MS = 15 * 60 * 1000

const timeSchema = z.date()

/**
 * When the person of this session last proved their identity. Returns null when the time is unknown: where sign-in is switched
 * off, and while an operator views the session. With the application's own sign-in, null also means that `signedInAt` of
 * `defineFwConfig` is missing or returned a time in the future.
 */
export async function signedInAt(event: H3Event, session: Session): Promise<Date | null> {
  const { config, now } = getApp(event)
  if (session.viewedBy || session.provider === AUTH_DISABLED_PROVIDER) return null
  if (!config.customSignIn) return new Date(session.createdAt)
  const at = timeSchema.safeParse(await config.customSignIn.signedInAt?.(event))
  return at.success && at.data <= now() ? at.data : null
}

/** Whether the person of this request signed in within the last 15 minutes. False when signed out or when the time is unknown. */
export async function hasRecentSignIn(event: H3Event): Promise<boolean> {
  const session = await getSession(event)
  const at = session && (await signedInAt(event, session))
  return at !== null && getApp(event).now().getTime() - at.getTime() <= RECENT_IN_MS
}

/** The session of a person whose sign-in is at most 15 minutes old. Throws `unauthenticated` and `fresh-session-required`. */
export async function requireRecentSignIn(event: H3Event): Promise<ServerSession> {
  const session = await requireSession(event)
  if (!(await hasRecentSignIn(event))) throw new AppError('fresh-session-required')
  return session
}

/**
 * The session of a person whose sign-in is at most 15 minutes old or who enters their password. Throws `unauthenticated`,
 * `fresh-session-required`, `invalid-credentials`, `no-password` and `rate-limited`.
 */
export async function requireFreshProof(event: H3Event, password: string | undefined): Promise<ServerSession> {
  if (password === undefined) return requireRecentSignIn(event)
  const session = await requireSession(event)
  const app = getApp(event)
  await rateLimit(app, limits.ownPasswordsPerAccount, session.userId)
  await confirmPassword(app, session.userId, password)
  await resetRateLimit(app, limits.ownPasswordsPerAccount, session.userId)
  return session
}

/** How the person of this request can prove their identity before a sensitive change. */
export async function proofOf(event: H3Event): Promise<{ isFresh: boolean; hasPassword: boolean }> {
  const { userId } = await requireSession(event)
  return { isFresh: await hasRecentSignIn(event), hasPassword: await hasPassword(getApp(event), userId) }
}
