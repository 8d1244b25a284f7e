import type { App } from '#fairway/server/kernel/app-context'
import { mailContent } from '#fairway/server/kernel/mail/mail-content'
import type { PlatformMail } from '#fairway/server/kernel/mail/platform-mails'
import { queueMail } from '#fairway/server/kernel/mail/queue-mail'
import { offered } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { findPerson } from './person'
import { writeNotification } from './notifications'
import { languageOfPerson } from './person-values'

type Content<Name extends PlatformMail> = Omit<Parameters<typeof mailContent<Name>>[2], 'language'>

/**
 * Queues one of the platform's mails to each of these addresses, in the language of the account there. `content` may depend on it.
 * Throws like `queueMail`.
 */
export async function mailPeople<Name extends PlatformMail>(
  app: App,
  addresses: readonly string[],
  name: Name,
  content: Content<Name> | ((language: Language) => Content<Name>),
): Promise<void> {
  for (const email of addresses) {
    const language = await languageOfPerson(app, { email })
    const said = typeof content === 'function' ? content(language ?? offered.defaultLanguage) : content
    await queueMail(app, email, mailContent(app, name, { ...said, language }))
  }
}

/**
 * Like `mailPeople`, and also writes it to the inbox of each account. The mail has no link that opens an account. Without a mail
 * server it is only in the inbox.
 */
export async function notifyPeople<Name extends PlatformMail>(
  app: App,
  { orgId, addresses }: { orgId: string | null; addresses: readonly string[] },
  name: Name,
  content: Parameters<typeof mailPeople<Name>>[3],
): Promise<void> {
  for await (const { email, userId, mail } of mailsOfAccounts(app, addresses, name, content)) {
    await writeNotification(app, app.db.orm, { userId, orgId, content: mail })
    if (app.mailer.isReady) await queueMail(app, email, mail)
  }
}

/** Yields each of these addresses that has an account, with the mail in its language. */
export async function* mailsOfAccounts<Name extends PlatformMail>(
  app: App,
  addresses: readonly string[],
  name: Name,
  content: Content<Name> | ((language: Language) => Content<Name>),
) {
  for (const email of addresses) {
    const person = await findPerson(app, { email })
    if (!person) continue
    const { userId } = person
    const language = (await languageOfPerson(app, { userId })) ?? offered.defaultLanguage
    const said = typeof content === 'function' ? content(language) : content
    yield { email, userId, mail: mailContent(app, name, { ...said, language }) }
  }
}
