import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { deliverMails, MAIL_PURPOSE } from './deliver-mails'
import { renderMail, type MailContent } from './render-mail'
import { mailOutbox } from './tables'

/**
 * Hands one mail over for delivery and does not wait for the mail server: five tries within about an hour, also after a
 * restart. Without a mail server development writes it to its folder at once. Throws when no mail can be sent at all.
 */
export async function queueMail(app: App, to: string, content: MailContent): Promise<void> {
  const mail = { to, ...(await renderMail(content, app.config)) }
  if (!app.mailer.isRemote) return app.mailer.send(mail)
  const id = newId()
  const now = app.now()
  const sealed = seal(app.config.keys, MAIL_PURPOSE, JSON.stringify(mail), id)
  await app.db.orm.insert(mailOutbox).values({ id, content: sealed, nextTryAt: now, createdAt: now })
  void deliverMails(app)
}
