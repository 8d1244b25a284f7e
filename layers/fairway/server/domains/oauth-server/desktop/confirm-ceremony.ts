import type { App } from '#fairway/server/kernel/app-context'
import { fill } from '#fairway/server/kernel/messages'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { assignOneTime, peekOneTimesOfSubject } from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { noteAnswer } from '#fairway/server/kernel/server-page/note-page'
import type { Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { PageAnswer, Visit } from '../authorization-endpoint'
import { whyNotVouched } from '../hub/token'
import {
  type Ceremony,
  ceremonyPath,
  completionPath,
  desktopCeremony,
  findCeremony,
  hasEnded,
  isBound,
  MOST_WRONG_VERIFIERS,
} from './ceremony'
import { canSignOut, ceremonyPage, otherAccountForm, textsOf } from './ceremony-page'

/** One visit of the page of a ceremony. */
export interface CeremonyVisit extends Visit {
  id: string
  nonce: string
  session: Session | null
  cookieHeader: string | undefined
}

/**
 * Shows the confirmation page in the window of a desktop application, redirects to the sign-in page, or says why not. It changes
 * nothing.
 */
export async function showCeremony(app: App, visit: CeremonyVisit): Promise<PageAnswer> {
  const opened = await openCeremony(app, visit)
  if (!('payload' in opened)) return opened
  const person = await requirePerson(app, visit)
  if (!('userId' in person)) return person
  if (opened.subject === null) return { page: await ceremonyPage(app, person, visit.language), status: 200 }
  return opened.subject === person.userId ? { location: completionPath(visit.nonce) } : endedAnswer(app, visit.language)
}

/** Carries out a person's decision in the window, once: confirms the ceremony, or returns `sign-out`. */
export async function decideCeremony(
  app: App,
  visit: CeremonyVisit,
  form: Record<string, string>,
): Promise<PageAnswer | 'sign-out'> {
  const opened = await openCeremony(app, visit)
  if (!('payload' in opened)) return opened
  if (form.decision === 'other') return 'sign-out'
  if (form.decision !== 'continue') {
    throw new AppError('invalid-request', { detail: 'The decision is continue or other.' })
  }
  const person = await requirePerson(app, visit)
  if (!('userId' in person)) return person
  const { id, nonce } = visit
  // The page named a person who is now signed out. The person who is signed in now has not seen it.
  if (form.account !== person.userId) return { location: ceremonyPath(id, nonce) }
  const open = { triesBelow: MOST_WRONG_VERIFIERS }
  const isFirst = await assignOneTime(app, desktopCeremony, id, person.userId, open)
  return isFirst ? { location: completionPath(nonce) } : confirmedAnswer(app, visit, person.userId)
}

/** Shows the last page of a ceremony to the person who confirmed one with this nonce. Others do not learn that it exists. */
export async function showCompletion(
  app: App,
  { session, nonce, language }: Pick<CeremonyVisit, 'session' | 'nonce' | 'language'>,
): Promise<PageAnswer> {
  const texts = textsOf(language)
  if (!session) {
    const { signedOutTitle: title, signedOutLead: lead } = texts
    return noteAnswer(app, 401, { title, lead, code: 'unauthenticated', language })
  }
  const nonceHash = sha256(nonce)
  const confirmed = await peekOneTimesOfSubject(app, desktopCeremony, session.userId)
  if (!confirmed.some(({ payload }) => constantTimeEqual(payload.nonceHash, nonceHash)))
    return beginAgainAnswer(app, language)
  const { completeTitle: title, completeLead: lead } = texts
  return noteAnswer(app, 200, { title, lead, language })
}

/**
 * Returns a ceremony that this window may continue, or another response. A forwarded link does not work, because only the browser
 * that started has the cookie.
 */
async function openCeremony(app: App, visit: CeremonyVisit): Promise<Ceremony | PageAnswer> {
  const ceremony = await findCeremony(app, visit.id)
  if (!ceremony) return endedAnswer(app, visit.language)
  const isTheirs = isBound(app, ceremony, visit.cookieHeader)
  if (!isTheirs || !constantTimeEqual(sha256(visit.nonce), ceremony.payload.nonceHash)) {
    await recordSecurityEvent(app, {
      kind: 'desktop-sign-in-refused',
      reason: isTheirs ? 'the page was opened with another nonce' : 'the page was opened in another browser',
      clientAddress: visit.clientAddress,
      userId: visit.session?.userId,
      requestId: visit.requestId,
    })
    return beginAgainAnswer(app, visit.language)
  }
  return hasEnded(ceremony) ? endedAnswer(app, visit.language) : ceremony
}

/**
 * Returns the person whom the hub may sign in elsewhere. Otherwise returns the way to the sign-in page, or a page that says why
 * it does not vouch for them.
 */
async function requirePerson(app: App, { id, nonce, session, language }: CeremonyVisit): Promise<Session | PageAnswer> {
  const here = ceremonyPath(id, nonce)
  if (!session) return { location: signInPathFor({ returnPath: here }) }
  const code = whyNotVouched(app, session)
  if (!code) return session
  const texts = textsOf(language)
  const { unverifiedTitle, unverifiedLead, developmentTitle, developmentLead, tryAgain } = texts
  const isUnverified = code === 'email-not-verified'
  return noteAnswer(app, 403, {
    title: isUnverified ? unverifiedTitle : developmentTitle,
    lead: isUnverified ? fill(unverifiedLead, { email: session.email }) : developmentLead,
    ...(isUnverified ? { link: { href: here, text: tryAgain } } : {}),
    ...(canSignOut(app) ? { besides: otherAccountForm(texts.otherAccount) } : {}),
    code,
    language,
  })
}

async function confirmedAnswer(app: App, { id, nonce, language }: CeremonyVisit, userId: string): Promise<PageAnswer> {
  const texts = textsOf(language)
  const ceremony = await findCeremony(app, id)
  return noteAnswer(app, 409, {
    title: texts.confirmedTitle,
    lead: texts.confirmedLead,
    language,
    ...(ceremony?.subject === userId ? { link: { href: completionPath(nonce), text: texts.confirmedLink } } : {}),
  })
}

/** The response to a ceremony that is no longer usable. */
function endedAnswer(app: App, language: Language | undefined): Promise<PageAnswer> {
  const { endedTitle: title, endedLead: lead } = textsOf(language)
  return noteAnswer(app, 410, { title, lead, code: 'ceremony-ended', language })
}

/** The response to a browser that opens the ceremony of another browser. */
function beginAgainAnswer(app: App, language: Language | undefined): Promise<PageAnswer> {
  const { againTitle: title, againLead: lead } = textsOf(language)
  return noteAnswer(app, 403, { title, lead, language })
}
