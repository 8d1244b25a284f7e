import { z } from 'zod'
import {
  findPerson,
  noteUnprovedAccount,
  passwordHashOf,
  type Person,
  verifyEmail,
  getPasswordHasher,
  type LibraryAnswer,
  checkWaitingBrowser,
  type EmailLink,
  endEmailLinks,
  issueEmailLink,
  spendEmailLink,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { queueMail } from '../../kernel/mail/queue-mail'
import { linkMail } from './link-mail'
import { countVerificationMail } from './mail-limits'
import { emailSchema, type Visitor } from './visitor'

interface NewAccount {
  email: string
  password: string
  name: string
  callbackURL?: string
}

const VERIFICATION = 'verification'

/** Begins an account that opens once its address is confirmed; the answer is the same when there is one already. */
export async function signUpForVerification(
  app: App,
  { email, password, name, callbackURL }: NewAccount,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  await countVerificationMail(app, email, visitor.clientAddress)
  const passwordHash = await getPasswordHasher(app).hash(password)
  const person = await findPerson(app, { email })
  const account = { email, name, passwordHash }
  if (!person?.emailVerified) await noteUnprovedAccount(app, account)
  const payload = payloadOf(app, { name, passwordHash, callbackURL }, visitor)
  const { href, setCookie } = await issueEmailLink(app, { purpose: VERIFICATION, email, payload })
  const signInPage = new URL(SIGN_IN_PATH, app.config.baseUrl).href
  await queueMail(
    app,
    email,
    await (person?.emailVerified
      ? linkMail(app, 'account-exists', signInPage, visitor)
      : linkMail(app, VERIFICATION, href, visitor)),
  )
  return { body: { status: true, verification: 'sent' }, setCookies: [setCookie] }
}

/**
 * Mails the confirmation to an account that waits for it; gives the cookie by which this browser goes on. The link confirms the
 * password only where this browser has just shown it: anybody may ask for the mail, and whose password it is nobody knows.
 * Throws `rate-limited`.
 */
export async function mailVerification(
  app: App,
  { email, callbackURL, knowsPassword }: { email: string; callbackURL?: string; knowsPassword: boolean },
  visitor: Visitor,
): Promise<string | undefined> {
  const person = await findPerson(app, { email })
  if (!person || person.emailVerified) return undefined
  const passwordHash = knowsPassword ? await passwordHashOf(app, person.userId) : undefined
  await countVerificationMail(app, email, visitor.clientAddress)
  const payload = payloadOf(app, { passwordHash, callbackURL }, visitor)
  const { href, setCookie } = await issueEmailLink(app, { purpose: VERIFICATION, email, payload })
  await queueMail(app, email, await linkMail(app, VERIFICATION, href, visitor))
  return setCookie
}

export const resendVerificationSchema = z.object({ email: emailSchema, callbackURL: z.string().optional() })

/**
 * Mails a confirmation again; the same answer for every address. `isOwn` says that this browser is signed in to the account of that
 * address: then the link confirms it there without a new password. Throws `mail-unavailable` and `rate-limited`.
 */
export async function resendVerification(
  app: App,
  input: z.output<typeof resendVerificationSchema>,
  visitor: Visitor,
  isOwn = false,
): Promise<LibraryAnswer> {
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  if (isOwn) {
    const setCookie = await mailVerification(app, { ...input, knowsPassword: false }, visitor)
    return { body: { status: true }, setCookies: setCookie ? [setCookie] : [] }
  }
  const waiting = await checkWaitingBrowser(app, visitor.cookieHeader)
  const isMine = waiting.status === 'waiting' && waiting.link.email === input.email
  if (isMine && waiting.link.purpose === VERIFICATION) {
    await countVerificationMail(app, input.email, visitor.clientAddress)
    const { payload, email } = waiting.link
    const { href, setCookie } = await issueEmailLink(app, { purpose: VERIFICATION, email, payload })
    await queueMail(app, email, await linkMail(app, VERIFICATION, href, visitor))
    return { body: { status: true }, setCookies: [setCookie] }
  }
  // Answered before it is looked up, so the time tells nothing. Without a waiting browser there is no cookie to renew.
  inBackground(
    app,
    'mail-verification',
    async () => void (await mailVerification(app, { ...input, knowsPassword: false }, visitor)),
  )
  return { body: { status: true }, setCookies: [] }
}

/** The person whose address is confirmed by an opened link, with the password of that sign-up; uses the link up. Throws `credentials-changed`. */
export async function confirmVerification(app: App, link: EmailLink): Promise<Person> {
  const securityVersion = await spendEmailLink(app, link)
  const { name, passwordHash } = link.payload
  const person = await verifyEmail(app, { email: link.email, securityVersion, name, passwordHash })
  await endEmailLinks(app, link.email)
  return person
}

const payloadOf = (
  app: App,
  { callbackURL, ...rest }: { name?: string; passwordHash?: string; callbackURL?: string },
  { language, userAgent, clientAddress }: Visitor,
) => ({ ...rest, returnPath: safeReturnPath(callbackURL, app.config.baseUrl), language, userAgent, clientAddress })
