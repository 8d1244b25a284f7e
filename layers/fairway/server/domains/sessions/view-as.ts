// "View as": an operator sees the application as one person sees it, for half an hour, and changes nothing. A sealed cookie beside
// the operator's own session says whom; it opens nothing without the very session that began the view.
import { appendResponseHeader, type H3Event } from 'h3'
import { z } from 'zod'
import { mailNotice, newestSignIn, noteAccountEvent } from '#fairway/server/domains/people'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { ACTIONS_PREFIX } from '#fairway/shared/paths'
import { type Acting, findActor, openSession, type ServerSession, sessionOfActing } from './act-as'

const LIFE_IN_MS = 30 * 60 * 1000
const COOKIE = 'view'
/** The operation that ends a view; it is the operator's own. */
const VIEW_PATH = '/_fw/view'
const PURPOSE = 'view-as'

const viewSchema = z.object({
  /** The session of the operator that began it; null where sign-in is the application's own. */
  sessionId: z.string().nullable(),
  operatorId: z.string(),
  userId: z.string(),
  /** Milliseconds. */
  until: z.number(),
  /** How the person signed in last, so that the operator meets the sign-in rules that the person meets. */
  provider: z.string(),
  providerDomain: z.string().nullable(),
})

type View = z.output<typeof viewSchema>

/**
 * Begins to show this browser the application as another person sees it, and tells that person. Gives the end in ISO 8601 and the
 * organization that the person works in. Throws `not-found`, and `cannot-view` for oneself, operators and suspended accounts.
 */
export async function startView(
  event: H3Event,
  operator: ServerSession,
  { userId, reason }: { userId: string; reason: string },
): Promise<{ until: string; orgId: string | null }> {
  const app = getApp(event)
  const until = app.now().getTime() + LIFE_IN_MS
  const view: View = {
    sessionId: operator.id,
    operatorId: operator.userId,
    userId,
    until,
    ...(await newestSignIn(app, userId)),
  }
  const acting = await openView(app, view)
  if ('refusal' in acting && acting.refusal === 'unknown') throw new AppError('not-found')
  if ('refusal' in acting || acting.session.isOperator || userId === operator.userId) throw new AppError('cannot-view')
  const value = seal(app.config.keys, PURPOSE, JSON.stringify(view), COOKIE)
  appendResponseHeader(event, 'set-cookie', setCookieValue(app.config, COOKIE, value, LIFE_IN_MS / 1000))
  noteAccountEvent(app, { kind: 'account-viewed', userId, reason })
  const href = app.config.baseUrl
  mailNotice(app, userId, language =>
    mailContent(app, 'account-viewed', { values: { why: reason, until: mailTime(until, language) }, href, language }),
  )
  return { until: isoTime(until), orgId: acting.session.orgId ?? acting.session.closedOrg?.id ?? null }
}

/** Gives this browser back to the operator. */
export function endView(event: H3Event): void {
  appendResponseHeader(event, 'set-cookie', setCookieValue(getApp(event).config, COOKIE, '', 0))
}

/**
 * The session through which an operator looks: the person's while a view is on, otherwise the operator's own. Throws `view-only` for
 * what is closed meanwhile: every change, and whatever signs in, hands out access or takes data away.
 */
export async function seenThrough(event: H3Event, app: App, own: ServerSession): Promise<ServerSession> {
  const view = readView(app, event.node.req.headers.cookie)
  if (!view || view.operatorId !== own.userId || view.sessionId !== own.id || view.until <= app.now().getTime())
    return own
  const path = requestPath(event)
  if (path === VIEW_PATH) return own
  if (isClosedToViews(event.method, path)) throw new AppError('view-only')
  const session = sessionOfActing(await openView(app, view))
  if (!session) return own
  // Terms are the person's to accept, on a page that is closed to a view.
  delete session.termsDue
  session.viewedBy = { userId: own.userId, email: own.email, until: isoTime(view.until) }
  return session
}

/** No organization is made for a person by looking: the session is for the one that is there. */
async function openView(app: App, { userId, until, provider, providerDomain }: View): Promise<Acting> {
  const row = await findActor(app, { userId })
  const times = { createdAt: until - LIFE_IN_MS, expiresAt: until }
  return openSession(app, row, { provider, providerDomain, orgId: row?.orgId ?? null, ...times })
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Pages of sign-in, consent and hand-over, all that opens other programs, and everything that is downloaded as a whole. */
const CLOSED =
  /^\/(?:mcp\/|callback|sign-in|_fw\/(?:a2a|address|auth|claim|connections(?=\/)|continue|desktop|devtools|dev|embed|identity|mail-topics|sign-in|terms)(?:\/|$))|\/export$/

/** Whether a request is refused while an operator looks through somebody's session. An action decides itself: those that only read take POST too. */
export const isClosedToViews = (method: string, path: string): boolean =>
  (!SAFE.has(method) && !path.startsWith(`${ACTIONS_PREFIX}/`)) || CLOSED.test(path)

function readView(app: App, cookieHeader: string | undefined): View | undefined {
  const [value] = cookieValues(app.config, COOKIE, cookieHeader)
  if (!value) return undefined
  try {
    return viewSchema.parse(JSON.parse(unseal(app.config.keys, PURPOSE, value, COOKIE)))
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
