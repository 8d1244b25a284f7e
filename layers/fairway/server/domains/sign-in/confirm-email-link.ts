import { z } from 'zod'
import {
  type Person,
  leadOn,
  type LibraryAnswer,
  mintSession,
  approveWaitingBrowser,
  checkWaitingBrowser,
  type EmailLink,
  endedFlowCookie,
  returnPathFor,
  setsPassword,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { checkSecondFactor } from './two-factor/second-factor-sign-in'
import { confirmMagicLink, MAGIC_LINK } from './magic-link'
import { confirmPasswordReset } from './password-reset'
import { confirmVerification } from './verification'
import type { Visitor } from './visitor'

export const confirmLinkSchema = z.object({
  token: z.string().min(1).max(200),
  /** `there` signs in the browser that asked, when this is another one. */
  where: z.enum(['here', 'there']).default('here'),
  newPassword: z.string().max(1024).optional(),
})

export interface ConfirmedLink {
  setCookies: string[]
  /** Where this browser goes on; undefined when it was not signed in, because another one was. */
  location?: string
}

/** Carries out what a mailed link is for (`findEmailLink`). Throws `link-used`, `link-unknown`, `credentials-changed`, the password rules' codes, and `second-factor-required` once the link was used. */
export async function confirmEmailLink(
  app: App,
  link: EmailLink,
  input: Pick<z.output<typeof confirmLinkSchema>, 'where' | 'newPassword'>,
  visitor: Visitor,
): Promise<ConfirmedLink> {
  if (setsPassword(link)) {
    const person = await confirmPasswordReset(app, link, input.newPassword)
    return signInHere(app, link, person, visitor)
  }
  if (link.purpose === 'verification') {
    const person = await confirmVerification(app, link)
    if (link.isSameBrowser) return signInHere(app, link, person, visitor)
    // Who has the mailbox need not be who knows the password; the browser that typed it goes on.
    await approveWaitingBrowser(app, link, person)
    return { setCookies: [] }
  }
  const person = await confirmMagicLink(app, link)
  if (link.isSameBrowser || input.where === 'here') return signInHere(app, link, person, visitor)
  await approveWaitingBrowser(app, link, person)
  return { setCookies: [] }
}

/** Signs in the browser that waits for a link to be opened elsewhere, as soon as that has happened. */
export async function continueWaiting(
  app: App,
  visitor: Visitor,
): Promise<LibraryAnswer & { location?: string; waitsFor?: EmailLink }> {
  const state = await checkWaitingBrowser(app, visitor.cookieHeader)
  if (state.status === 'waiting') return { body: { status: 'waiting' }, setCookies: [], waitsFor: state.link }
  if (state.status === 'ended') return { body: { status: 'ended' }, setCookies: [] }
  const { setCookies, location } = await signInHere(app, state.link, state, visitor)
  return { body: { status: 'signed-in', location }, setCookies, location }
}

async function signInHere(
  app: App,
  link: EmailLink,
  { userId, securityVersion }: Pick<Person, 'userId' | 'securityVersion'>,
  { clientAddress: ipAddress, userAgent }: Visitor,
) {
  const provider = link.purpose === 'magic-link' ? MAGIC_LINK : 'password'
  const proved = { userId, securityVersion, provider, provesAddress: true }
  // Who reads the mail has one factor; the other one is still asked for.
  await checkSecondFactor(app, proved)
  const session = await mintSession(app, { ...proved, email: link.email, ipAddress, userAgent })
  return { setCookies: [session.cookie, endedFlowCookie(app.config)], location: leadOn(session, returnPathFor(link)) }
}
