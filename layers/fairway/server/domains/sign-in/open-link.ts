// Opens a mailed link: its page, its button, and the browser that waits until the link is opened elsewhere.
import { z } from 'zod'
import {
  acceptShownTerms,
  checkTermsTicked,
  approveWaitingBrowser,
  checkMailedCode,
  checkPassword,
  checkWaitingBrowser,
  type EmailLink,
  endedFlowCookie,
  endEmailLinks,
  findEmailLink,
  findEndedLink,
  findPerson,
  getPasswordHasher,
  knownPlaceOf,
  leadOn,
  mintSession,
  type Person,
  replacePassword,
  returnPathFor,
  setsPassword,
  spendEmailLink,
  tellOwner,
  verifyEmail,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { type BrowserAnswer, explained } from '#fairway/server/kernel/server-page/send-answer'
import { limits } from '../../kernel/limits/limits'
import { rateLimit, refundRateLimit } from '../../kernel/limits/rate-limit'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { checkSecondFactor, forgetWrongCodes } from './two-factor/second-factor'
import { mailVerification, requestMagicLink, requestPasswordReset, resendVerification } from './request-link'
import type { SignInAnswer } from './sign-in-answer'
import { languageOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { CHECK_MAIL } from './check-mail-page'
import { asksForTerms, CODE_STEP, emailLinkPage, endedLinkPage, goOnElsewherePage, termsOfSignUp } from './step-pages'

/** The page for a mailed link: what its button will do, or why the link no longer works. Changes nothing. */
export async function showLink(
  app: App,
  { token, language }: { token: string; language: Language },
  { cookieHeader }: RequestInfo,
): Promise<BrowserAnswer> {
  try {
    const link = await findEmailLink(app, token, cookieHeader)
    return { page: await emailLinkPage(app, { link, token }) }
  } catch (thrown) {
    const error = refusal(thrown)
    return explained(await endedLinkPage(app, { error, token, language }), error)
  }
}

export const openLinkSchema = z.object({
  token: z.string().min(1).max(200),
  /** `there` signs in the browser that requested the link, if it is another one. */
  where: z.enum(['here', 'there']).default('here'),
  newPassword: z.string().max(1024).optional(),
  /** The version of the terms accepted on this page. */
  termsVersion: z.string().max(64).optional(),
  /** Present when a link that no longer works must be replaced by a new one. */
  again: z.string().max(1).optional(),
})

type OpenLinkInput = z.output<typeof openLinkSchema>

/** Handles the button of a mailed link: signs a browser in, or returns a page. */
export async function submitLink(app: App, input: OpenLinkInput, request: RequestInfo): Promise<BrowserAnswer> {
  let link: EmailLink | undefined
  try {
    if (input.again !== undefined) return await mailAnother(app, input.token, request)
    link = await findEmailLink(app, input.token, request.cookieHeader)
    if (await asksForTerms(app, link)) checkTermsTicked(app, input.termsVersion)
    const { setCookies, location } = await confirmEmailLink(app, link, input, request)
    return location ? { setCookies, location } : { setCookies, page: await goOnElsewherePage(app, link) }
  } catch (thrown) {
    const error = refusal(thrown)
    const waitsForCode = error.code === 'second-factor-required' && error.headers['set-cookie']
    if (link && waitsForCode) {
      const query = new URLSearchParams({ step: CODE_STEP, return: returnPathFor(link) })
      return { setCookies: [waitsForCode], location: `${SIGN_IN_PATH}?${query}` }
    }
    const page =
      link && !error.code.startsWith('link-')
        ? emailLinkPage(app, { link, token: input.token, error })
        : endedLinkPage(app, {
            error,
            token: input.token,
            language: languageOf(link?.payload.language, request.language),
          })
    return explained(await page, error)
  }
}

/** Confirms a mailed link, for scripts. Throws the errors of `findEmailLink` and `confirmEmailLink`. */
export async function openLink(app: App, input: OpenLinkInput, request: RequestInfo): Promise<SignInAnswer> {
  return confirmEmailLink(app, await findEmailLink(app, input.token, request.cookieHeader), input, request)
}

/**
 * Performs the purpose of a mailed link (`findEmailLink`). Throws `link-used`, `link-unknown`, `credentials-changed`, the codes
 * of the password rules, and `second-factor-required` after the link is used.
 */
export async function confirmEmailLink(
  app: App,
  link: EmailLink,
  { where, newPassword, termsVersion = termsOfSignUp(link) }: Omit<OpenLinkInput, 'token' | 'again'>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  const isReset = setsPassword(link)
  const person = isReset ? await confirmPasswordReset(app, link, newPassword) : await confirmAddress(app, link)
  await acceptShownTerms(app, person.userId, termsVersion)
  // The person who reads the mailbox may not know the password, so the browser that entered the password is signed in.
  const isHere = isReset || link.isSameBrowser || (link.purpose === 'magic-link' && where === 'here')
  if (isHere) return signInHere(app, link, person, request)
  await approveWaitingBrowser(app, link, person)
  return { body: { status: true, signedIn: false }, setCookies: [] }
}

/** Uses up the link and confirms the address, with the password of the sign-up. Throws `credentials-changed`. */
async function confirmAddress(app: App, link: EmailLink): Promise<Person> {
  const securityVersion = await spendEmailLink(app, link)
  const { name, passwordHash } = link.payload
  const person = await verifyEmail(app, { email: link.email, securityVersion, name, passwordHash })
  if (link.purpose === 'verification') await endEmailLinks(app, link.email)
  return person
}

/**
 * Sets the new password of the person behind an opened link, which also proves the address. Ends every session, open link and
 * connected app. Throws the codes of the password rules before the link is used, and `credentials-changed`.
 */
export async function confirmPasswordReset(app: App, link: EmailLink, password: string | undefined): Promise<Person> {
  const known = await findPerson(app, { email: link.email })
  if (!known) throw new AppError('link-unknown')
  await checkPassword(app, password ?? '', known)
  const passwordHash = await getPasswordHasher(app).hash(password ?? '')
  const spentAt = await spendEmailLink(app, link)
  const person = await verifyEmail(app, { email: link.email, securityVersion: spentAt })
  const { userId, securityVersion: provedAt } = person
  const endGrants = 'account-recovered'
  const securityVersion = await replacePassword(app, { userId, passwordHash, securityVersion: provedAt, endGrants })
  await endEmailLinks(app, link.email)
  await forgetWrongCodes(app, userId)
  tellOwner(app, userId, 'password-changed')
  return { ...person, securityVersion }
}

/** Signs in a waiting browser once the link was opened elsewhere. Until then, `waitsFor` is the open link. */
export async function continueWaiting(
  app: App,
  request: RequestInfo,
): Promise<SignInAnswer & { waitsFor?: EmailLink }> {
  const state = await checkWaitingBrowser(app, request.cookieHeader)
  if (state.status === 'ended') return { body: { status: 'ended' }, setCookies: [], waits: 'ended' }
  if (state.status === 'waiting') {
    return { body: { status: 'waiting' }, setCookies: [], waits: 'not-yet', waitsFor: state.link }
  }
  const { setCookies, location } = await signInHere(app, state.link, state, request)
  return { body: { status: 'signed-in', location }, setCookies, location }
}

/**
 * Signs in the browser that waits for a sign-in link, by the code beside that link. Throws `invalid-code`, `code-ended`,
 * `rate-limited`, and the errors of `confirmEmailLink`.
 */
export async function signInWithMailedCode(
  app: App,
  { code }: { code: string },
  request: RequestInfo,
): Promise<SignInAnswer> {
  const { waitsFor: link, ...answer } = await continueWaiting(app, request)
  if (!link) return answer
  await countCode(app, link, request, () => checkMailedCode(app, link, code, request.cookieHeader))
  const { setCookies, location } = await confirmEmailLink(app, link, { where: 'here' }, request)
  return { body: { status: 'signed-in', location }, setCookies, location }
}

/** Counts wrong codes by network and by account. Each place where the account is known has its own count. */
async function countCode(app: App, { email }: EmailLink, request: RequestInfo, check: () => Promise<void>) {
  const place = await knownPlaceOf(app, email, request)
  const counts = [
    [limits.mailedCodesPerAddress, addressKey(request.clientAddress)],
    [limits.mailedCodesPerAccount, place === undefined ? email : `${email} ${place}`],
  ] as const
  for (const [limit, subject] of counts) await rateLimit(app, limit, subject)
  await check()
  for (const [limit, subject] of counts) await refundRateLimit(app, limit, subject)
}

/** Resends the link that this browser waits for, for any purpose. Signs the browser in if the link was opened in the meantime. */
export async function mailAgain(app: App, request: RequestInfo): Promise<SignInAnswer> {
  const { waitsFor: link, ...answer } = await continueWaiting(app, request)
  if (!link) return answer
  const again = { email: link.email, callbackURL: link.payload.returnPath, redirectTo: link.payload.returnPath }
  return { ...(await requests[link.purpose](app, again, request)), waits: 'mailed-again' }
}

/**
 * Mails a replacement for a link that no longer works; this browser waits for the new one. Throws `link-unknown` and
 * `rate-limited`.
 */
async function mailAnother(app: App, token: string, request: RequestInfo): Promise<BrowserAnswer> {
  const link = await findEndedLink(app, token)
  if (!link) throw new AppError('link-unknown')
  const { email, purpose } = link
  const { returnPath, language } = link.payload
  const from = { ...request, language: languageOf(language, request.language) }
  const query = new URLSearchParams({ step: CHECK_MAIL, return: returnPath, lang: from.language })
  const location = `${SIGN_IN_PATH}?${query}`
  if (purpose !== 'verification') {
    const { setCookies } = await requests[purpose](
      app,
      { email, callbackURL: returnPath, redirectTo: returnPath },
      from,
    )
    return { setCookies, location }
  }
  const cookie = await mailVerification(app, { email, callbackURL: returnPath, knowsPassword: false }, from)
  return { setCookies: cookie ? [cookie] : [], location }
}

const requests = {
  'magic-link': requestMagicLink,
  'password-reset': requestPasswordReset,
  verification: resendVerification,
}

async function signInHere(
  app: App,
  link: EmailLink,
  { userId, securityVersion }: Pick<Person, 'userId' | 'securityVersion'>,
  { clientAddress: ipAddress, userAgent, language, cookieHeader }: RequestInfo,
): Promise<SignInAnswer> {
  const provider = link.purpose === 'magic-link' ? 'magic-link' : 'password'
  const proved = { userId, securityVersion, provider, provesAddress: true }
  // Access to the mailbox is one factor; the second one is still required.
  await checkSecondFactor(app, proved)
  const session = await mintSession(app, { ...proved, email: link.email, ipAddress, userAgent, language, cookieHeader })
  const location = leadOn(session, returnPathFor(link))
  const setCookies = [session.cookie, endedFlowCookie(app.config)]
  return { body: { status: true, signedIn: true, location }, setCookies, location }
}

// Other errors are rethrown and show the error page with the request's id.
function refusal(error: unknown): AppError {
  if (error instanceof AppError && error.status < 500) return error
  throw error
}
