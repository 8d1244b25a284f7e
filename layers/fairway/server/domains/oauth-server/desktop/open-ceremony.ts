import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { isBound } from './binding-cookie'
import { beginAgainAnswer, type CeremonyAnswer, type CeremonyVisit, endedAnswer } from './ceremony-answer'
import { canSignOut } from './ceremony-page'
import { type Ceremony, findCeremony, hasEnded } from './ceremony-row'
import { ceremonyPath } from './ceremony-urls'
import { whyNotVouched } from './desktop-person'
import { otherAccountForm } from './other-account-form'

const texts = messagesOf('en').desktopSignIn

/** A ceremony that this window may go on with, or what is answered instead. A link that somebody sent opens nothing: only the browser that began it has the cookie. */
export async function openCeremony(app: App, visit: CeremonyVisit): Promise<Ceremony | CeremonyAnswer> {
  const ceremony = await findCeremony(app, visit.id)
  if (!ceremony) return endedAnswer(app)
  const isTheirs = isBound(app, ceremony, visit.cookieHeader)
  if (!isTheirs || !constantTimeEqual(sha256(visit.nonce), ceremony.nonceHash)) {
    await recordSecurityEvent(app, {
      kind: 'desktop-sign-in-refused',
      reason: isTheirs ? 'the page was opened with another nonce' : 'the page was opened in another browser',
      clientAddress: visit.clientAddress,
      userId: visit.session?.userId,
      requestId: visit.requestId,
    })
    return beginAgainAnswer(app)
  }
  return hasEnded(app, ceremony) ? endedAnswer(app) : ceremony
}

/** Whom the hub would sign in elsewhere, or what is answered instead: the way to the sign-in page, or why it does not vouch for them. */
export async function requirePerson(
  app: App,
  { id, nonce, session }: CeremonyVisit,
): Promise<Session | CeremonyAnswer> {
  const here = ceremonyPath(id, nonce)
  if (!session) return { location: signInPathFor({ returnPath: here }) }
  const code = whyNotVouched(app, session)
  if (!code) return session
  const { unverifiedTitle, unverifiedLead, developmentTitle, developmentLead, tryAgain } = texts
  const isUnverified = code === 'email-not-verified'
  const page = await notePage(app, {
    title: isUnverified ? unverifiedTitle : developmentTitle,
    lead: isUnverified ? fill(unverifiedLead, { email: session.email }) : developmentLead,
    ...(isUnverified ? { link: { href: here, text: tryAgain } } : {}),
    ...(canSignOut(app) ? { besides: otherAccountForm() } : {}),
    code,
  })
  return { page, status: 403 }
}
