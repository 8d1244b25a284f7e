import { eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { DEVICES_PAGE } from '#fairway/shared/paths'
import { users } from '../tables'
import { mailContent } from '../../../kernel/mail/render-mail'
import { queueMail } from '../../../kernel/mail/queue-mail'

/** The mails that say so, by their names. */
type Change = 'password-changed' | 'passkey-added' | 'passkey-removed' | 'two-factor-on' | 'two-factor-off'

/** Mails a person that a way into their account has changed, without making the change wait or fail; nothing where no mail can be sent. */
export function tellOwner(app: App, userId: string, change: Change): void {
  if (app.mailer.isReady) inBackground(app, 'tell-owner', () => mailNotice(app, userId, change))
}

async function mailNotice(app: App, userId: string, change: Change): Promise<void> {
  const [user] = await app.db.orm
    .select({ email: users.email, kind: users.kind })
    .from(users)
    .where(eq(users.id, userId))
  if (!user || user.kind === 'dev') return
  const href = app.config.baseUrl + DEVICES_PAGE
  await queueMail(app, user.email, mailContent(app, change, { values: {}, href }))
}
