import { eq } from 'drizzle-orm'
import { users } from '#fairway/server/domains/accounts'
import { queueMail } from '#fairway/server/domains/mail'
import type { App } from '#fairway/server/foundation/app-context'
import { inBackground } from '#fairway/server/foundation/background'
import { DEVICES_PAGE } from '#fairway/shared/paths'

const notices = {
  'password-changed': 'The password of your account was changed',
  'passkey-added': 'A passkey was added to your account',
  'passkey-removed': 'A passkey was removed from your account',
  'two-factor-on': 'Two-factor sign-in was switched on for your account',
  'two-factor-off': 'Two-factor sign-in was switched off for your account',
}

/** Mails a person that a way into their account has changed, without making the change wait or fail; nothing where no mail can be sent. */
export function tellOwner(app: App, userId: string, change: keyof typeof notices): void {
  if (app.mailer.isReady) inBackground(app, 'tell-owner', () => mailNotice(app, userId, notices[change]))
}

async function mailNotice(app: App, userId: string, what: string): Promise<void> {
  const [user] = await app.db.orm
    .select({ email: users.email, kind: users.kind })
    .from(users)
    .where(eq(users.id, userId))
  if (!user || user.kind === 'dev') return
  const { name, baseUrl } = app.config
  await queueMail(app, user.email, {
    subject: `${what} (${name})`,
    lines: [`${what} at ${name}.`],
    action: { label: 'Look at my settings', href: baseUrl + DEVICES_PAGE },
    notes: [
      'If this was you, there is nothing to do. If it was not, end the sessions you do not know and change your password.',
    ],
  })
}
