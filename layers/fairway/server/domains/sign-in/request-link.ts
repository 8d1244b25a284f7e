// Mails with a link: to sign in, to set a password, to confirm an address.
import { z } from 'zod'
import {
  checkWaitingBrowser,
  requestInWords,
  type EmailLink,
  findPerson,
  getPasswordHasher,
  issueEmailLink,
  knownPlaceOf,
  noteUnprovedAccount,
  passwordHashOf,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { emailSchema } from '#fairway/shared/schemas/email'
import { optionalNameSchema } from '#fairway/shared/schemas/name'
import { languageOf } from '#fairway/server/kernel/messages'
import { limits } from '../../kernel/limits/limits'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { mailContent } from '../../kernel/mail/mail-content'
import { queueMail } from '../../kernel/mail/queue-mail'
import type { SignInAnswer } from './sign-in-answer'

export const magicLinkSchema = z.object({
  email: emailSchema,
  callbackURL: z.string().optional(),
  /** The name of a new account. */
  name: optionalNameSchema(100).optional(),
  termsVersion: z.string().max(64).optional(),
})

/** Mails a sign-in link and a code that does the same in this browser. The response is the same for every address. Throws `magic-link-disabled` and `rate-limited`. */
export async function requestMagicLink(
  app: App,
  { email, name, ...more }: z.output<typeof magicLinkSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  if (!app.config.signIn.magicLink) throw new AppError('magic-link-disabled')
  if (email === DEV_EMAIL) throw new AppError('dev-account-refused')
  const isKnown = await countMail(app, email, request, 'signInLinksPerAccount')
  const payload = payloadOf(app, { name: name || undefined, ...more }, request)
  return mailed(await mailLink(app, { purpose: 'magic-link', email, payload, isKnown }, request))
}

export const requestResetSchema = z.object({ email: emailSchema, redirectTo: z.string().optional() })

/**
 * Mails a link to set a new password. An address without an account gets a mail that says so. The response is the same for
 * every address. Throws `mail-unavailable` and `rate-limited`.
 */
export async function requestPasswordReset(
  app: App,
  { email, redirectTo }: z.output<typeof requestResetSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  if (email === DEV_EMAIL) throw new AppError('dev-account-refused')
  const isKnown = await countMail(app, email, request, 'passwordLinksPerAccount')
  // Every address takes the same work, so the response time reveals nothing.
  const payload = payloadOf(app, { callbackURL: redirectTo }, request)
  const instead = (await findPerson(app, { email })) ? undefined : 'no-account'
  return mailed(await mailLink(app, { purpose: 'password-reset', email, payload, isKnown }, request, instead))
}

interface NewAccount {
  email: string
  password: string
  name: string
  callbackURL?: string
  termsVersion?: string
}

/** Creates an account that can be used once its address is confirmed. The response is the same when there is already one. */
export async function signUpForVerification(
  app: App,
  { email, password, name, ...more }: NewAccount,
  request: RequestInfo,
): Promise<SignInAnswer> {
  const isKnown = await countMail(app, email, request, 'verificationsPerAccount')
  const passwordHash = await getPasswordHasher(app).hash(password)
  const person = await findPerson(app, { email })
  if (!person?.emailVerified) await noteUnprovedAccount(app, { email, name, passwordHash })
  const payload = payloadOf(app, { name, passwordHash, ...more }, request)
  const instead = person?.emailVerified ? 'account-exists' : undefined
  const setCookie = await mailLink(app, { purpose: 'verification', email, payload, isKnown }, request, instead)
  return { ...mailed(setCookie), body: { status: true, verification: 'sent' } }
}

/**
 * Mails the confirmation to an unconfirmed account. Returns the cookie with which this browser continues. The link confirms the
 * password only when this browser has just entered it: anyone can request the mail, and the password's owner is unknown. Throws
 * `rate-limited`.
 */
export async function mailVerification(
  app: App,
  { email, callbackURL, knowsPassword }: { email: string; callbackURL?: string; knowsPassword: boolean },
  request: RequestInfo,
): Promise<string | undefined> {
  const person = await findPerson(app, { email })
  if (!person || (person.emailVerified && person.claimSince === null)) return undefined
  const passwordHash = knowsPassword ? await passwordHashOf(app, person.userId) : undefined
  const isKnown = await countMail(app, email, request, 'verificationsPerAccount')
  // The browser that opens the link claims the account, never the browser that requested the link.
  const purpose = person.emailVerified ? 'magic-link' : 'verification'
  const payload = payloadOf(app, { passwordHash, callbackURL }, request)
  return mailLink(app, { purpose, email, payload, isKnown }, request)
}

export const resendVerificationSchema = z.object({ email: emailSchema, callbackURL: z.string().optional() })

/**
 * Resends a confirmation. The response is the same for every address. With `isOwn`, this browser is signed in to the account of
 * that address, so the link needs no new password there. Throws `mail-unavailable` and `rate-limited`.
 */
export async function resendVerification(
  app: App,
  input: z.output<typeof resendVerificationSchema>,
  request: RequestInfo,
  isOwn = false,
): Promise<SignInAnswer> {
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  const mailOwn = () => mailVerification(app, { ...input, knowsPassword: false }, request)
  if (isOwn) return mailed(await mailOwn())
  const waiting = await checkWaitingBrowser(app, request.cookieHeader)
  if (waiting.status === 'waiting' && waiting.link.purpose === 'verification' && waiting.link.email === input.email) {
    const isKnown = await countMail(app, input.email, request, 'verificationsPerAccount')
    return mailed(await mailLink(app, { ...waiting.link, isKnown }, request))
  }
  // Responds before the lookup, so the response time reveals nothing. Without a waiting browser there is no cookie to renew.
  inBackground(app, 'mail-verification', async () => void (await mailOwn()))
  return mailed()
}

const mailed = (setCookie?: string): SignInAnswer => ({
  body: { status: true },
  setCookies: setCookie ? [setCookie] : [],
  waits: true,
})

/**
 * Creates a link and mails it, or the mail of `instead`, in the language of the requesting page. Returns the cookie for the
 * waiting browser.
 */
async function mailLink(
  app: App,
  { purpose, email, payload, isKnown }: Pick<EmailLink, 'purpose' | 'email' | 'payload' | 'isKnown'>,
  request: RequestInfo,
  instead?: 'no-account' | 'account-exists',
): Promise<string> {
  const { href, setCookie, code } = await issueEmailLink(app, { purpose, email, payload, isKnown })
  const language = languageOf(request.language)
  const values = await requestInWords(app, request, { email, language })
  const mail = mailContent(app, instead ?? purpose, {
    values,
    href: instead ? new URL(SIGN_IN_PATH, app.config.baseUrl).href : href,
    language,
    code: instead ? undefined : code,
  })
  await queueMail(app, email, mail)
  return setCookie
}

const payloadOf = (
  app: App,
  {
    callbackURL,
    ...rest
  }: Partial<Pick<NewAccount, 'name' | 'callbackURL' | 'termsVersion'>> & { passwordHash?: string },
  { language, userAgent, clientAddress }: RequestInfo,
) => ({ ...rest, returnPath: safeReturnPath(callbackURL, app.config.baseUrl), language, userAgent, clientAddress })

/**
 * Counts a requested mail by network and by account. All strangers share the count of an account. Each place where the account is
 * known has its own, so strangers cannot use it up. Returns whether the request comes from such a place. Throws `rate-limited`.
 */
async function countMail(
  app: App,
  email: string,
  request: RequestInfo,
  perAccount: 'signInLinksPerAccount' | 'passwordLinksPerAccount' | 'verificationsPerAccount',
): Promise<boolean> {
  await rateLimit(app, limits.mailsPerAddress, addressKey(request.clientAddress))
  const place = await knownPlaceOf(app, email, request)
  await rateLimit(app, limits[perAccount], place === undefined ? email : `${email} ${place}`)
  return place !== undefined
}
