import { z } from 'zod'
import {
  checkPassword,
  findPerson,
  type Person,
  verifyEmail,
  replacePassword,
  getPasswordHasher,
  type LibraryAnswer,
  tellOwner,
  type EmailLink,
  endEmailLinks,
  issueEmailLink,
  spendEmailLink,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { queueMail } from '../../kernel/mail/queue-mail'
import { linkMail } from './link-mail'
import { countLinkMail } from './mail-limits'
import { emailSchema, type Visitor } from './visitor'

export const requestResetSchema = z.object({ email: emailSchema, redirectTo: z.string().optional() })

/** Mails a link to set a new password; for an address without an account it mails that there is none. One answer for all. Throws `mail-unavailable` and `rate-limited`. */
export async function requestPasswordReset(
  app: App,
  { email, redirectTo }: z.output<typeof requestResetSchema>,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  if (email === DEV_EMAIL) throw new AppError('dev-account-refused')
  await countLinkMail(app, email, visitor.clientAddress)
  const { userAgent, clientAddress, language } = visitor
  const payload = { returnPath: safeReturnPath(redirectTo, app.config.baseUrl), language, userAgent, clientAddress }
  // The same work for every address, so the time tells nothing.
  const { href, setCookie } = await issueEmailLink(app, { purpose: 'password-reset', email, payload })
  const person = await findPerson(app, { email })
  const signInPage = new URL(SIGN_IN_PATH, app.config.baseUrl).href
  await queueMail(
    app,
    email,
    await (person ? linkMail(app, 'password-reset', href, visitor) : linkMail(app, 'no-account', signInPage, visitor)),
  )
  return { body: { status: true }, setCookies: [setCookie] }
}

/**
 * Sets the new password of the person behind an opened link, which also proves the address; every session, open link and connected
 * app ends. Throws the password rules' codes before the link is used, and `credentials-changed`.
 */
export async function confirmPasswordReset(app: App, link: EmailLink, password: string | undefined): Promise<Person> {
  const known = await findPerson(app, { email: link.email })
  if (!known) throw new AppError('link-unknown')
  await checkPassword(password ?? '', known, app.config)
  const passwordHash = await getPasswordHasher(app).hash(password ?? '')
  const spentAt = await spendEmailLink(app, link)
  const person = await verifyEmail(app, { email: link.email, securityVersion: spentAt })
  const { userId, securityVersion: provedAt } = person
  const endGrants = 'account-recovered'
  const securityVersion = await replacePassword(app, { userId, passwordHash, securityVersion: provedAt, endGrants })
  await endEmailLinks(app, link.email)
  tellOwner(app, userId, 'password-changed')
  return { ...person, securityVersion }
}
