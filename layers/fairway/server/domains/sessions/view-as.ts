// "View as": for 30 minutes, an operator sees the application as one person sees it, read-only. A sealed cookie beside the
// operator's own session names the person. It is valid only with the session that started the view.
import { appendResponseHeader, type H3Event } from 'h3'
import { z } from 'zod'
import { mailNotice, newestSignIn, noteAccountEvent } from '#fairway/server/domains/people'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { requestOrg } from '#fairway/server/kernel/http/request-org'
import { isoTime } from '#fairway/server/kernel/iso-time'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { workingIn } from '#fairway/shared/org-path'
import { type Acting, findActor, findAddressedActor, openSession, type ServerSession, sessionOfActing } from './act-as'

const LIFE_IN_MS = 30 * 60 * 1000
const COOKIE = 'view'
const PURPOSE = 'view-as'

const viewSchema = z.object({
  /** The operator's session that started the view; null where the application has its own sign-in. */
  sessionId: z.string().nullable(),
  operatorId: z.string(),
  userId: z.string(),
  /** Milliseconds. */
  until: z.number(),
  /** The provider of the person's latest sign-in, so that the same sign-in rules apply to the operator. */
  provider: z.string(),
  providerDomain: z.string().nullable(),
  provedSecondFactor: z.boolean().default(false),
})

type View = z.output<typeof viewSchema>

/**
 * Starts a view of the application as another person in this browser, and notifies that person. Returns the end in ISO 8601 and
 * the person's organization. Throws `not-found`, and `cannot-view` for oneself, operators and suspended accounts.
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
  mailNotice(app, userId, ({ language, timeZone }) =>
    mailContent(app, 'account-viewed', {
      values: { why: reason, until: mailTime(until, language, timeZone) },
      href,
      language,
    }),
  )
  return { until: isoTime(until), orgId: workingIn(acting.session) }
}

/** Ends the view: this browser uses the operator's own session again. */
export function endView(event: H3Event): void {
  appendResponseHeader(event, 'set-cookie', setCookieValue(getApp(event).config, COOKIE, '', 0))
}

/** The effective session of an operator: the person's during a view, otherwise the operator's own. */
export async function seenThrough(event: H3Event, app: App, operatorSession: ServerSession): Promise<ServerSession> {
  const view = readView(app, event.node.req.headers.cookie)
  if (
    !view ||
    view.operatorId !== operatorSession.userId ||
    view.sessionId !== operatorSession.id ||
    view.until <= app.now().getTime()
  )
    return operatorSession
  const session = sessionOfActing(await openView(app, view, requestOrg(event.node.req)))
  if (!session) return operatorSession
  // Only the person can accept terms, on a page that is closed to views.
  delete session.termsDue
  event.context.operator = operatorSession
  session.viewedBy = { userId: operatorSession.userId, email: operatorSession.email, until: isoTime(view.until) }
  return session
}

/** A view never creates an organization: the session uses the existing one. */
async function openView(
  app: App,
  { userId, until, provider, providerDomain, provedSecondFactor }: View,
  slug?: string,
): Promise<Acting> {
  const row = await (slug === undefined ? findActor(app, { userId }) : findAddressedActor(app, userId, slug))
  const times = { createdAt: until - LIFE_IN_MS, expiresAt: until }
  return openSession(app, row, { provider, providerDomain, provedSecondFactor, orgId: row?.orgId ?? null, ...times })
}

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
