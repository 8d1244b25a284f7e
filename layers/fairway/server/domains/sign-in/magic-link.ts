import { z } from 'zod'
import {
  type Person,
  verifyEmail,
  type LibraryAnswer,
  type EmailLink,
  issueEmailLink,
  spendEmailLink,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { safeReturnPath } from '#fairway/shared/return-path'
import { queueMail } from '../../kernel/mail/queue-mail'
import { linkMail } from './link-mail'
import { countLinkMail } from './mail-limits'
import { emailSchema } from '#fairway/shared/schemas/email'
import type { Visitor } from './visitor'

export const MAGIC_LINK = 'magic-link'

export const magicLinkSchema = z.object({
  email: emailSchema,
  callbackURL: z.string().optional(),
})

/** Mails a link that signs in, to any address and with one answer for all; throws `magic-link-disabled` and `rate-limited`. */
export async function requestMagicLink(
  app: App,
  { email, callbackURL }: z.output<typeof magicLinkSchema>,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  if (!app.config.signIn.magicLink) throw new AppError('magic-link-disabled')
  if (email === DEV_EMAIL) throw new AppError('dev-account-refused')
  await countLinkMail(app, email, visitor.clientAddress)
  const { userAgent, clientAddress, language } = visitor
  const payload = { returnPath: safeReturnPath(callbackURL, app.config.baseUrl), language, userAgent, clientAddress }
  const { href, setCookie } = await issueEmailLink(app, { purpose: MAGIC_LINK, email, payload })
  await queueMail(app, email, await linkMail(app, MAGIC_LINK, href, visitor))
  return { body: { status: true }, setCookies: [setCookie] }
}

/** The person behind an opened link, whose address is proved by it; uses the link up. Throws `credentials-changed`. */
export async function confirmMagicLink(app: App, link: EmailLink): Promise<Person> {
  const securityVersion = await spendEmailLink(app, link)
  return verifyEmail(app, { email: link.email, securityVersion })
}
