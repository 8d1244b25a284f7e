import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OutboxMail {
  to: string
  subject: string
  text: string
}

/** The mails that a test server has written to its outbox, the newest last; throws when it has written none. */
export function readOutbox(dataDir: string): OutboxMail[] {
  const folder = join(dataDir, 'outbox')
  return readdirSync(folder)
    .toSorted()
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as OutboxMail)
}

/** The newest mail of an outbox to an address, and the first link in it; throws when there is none. */
export function newestMail(dataDir: string, email: string): { text: string; link: URL } {
  const mail = readOutbox(dataDir).findLast(({ to }) => to === email)
  const link = mail && /https?:\S+/.exec(mail.text)?.[0]
  if (!link) throw new Error(`no mail with a link went to ${email}`)
  return { text: mail.text, link: new URL(link) }
}

/** The path of the invitation page in the newest mail to an address. */
export function invitationPath(dataDir: string, email: string): string {
  const { pathname, search } = newestMail(dataDir, email).link
  if (!pathname.endsWith('/invitation')) throw new Error(`no invitation was mailed to ${email}`)
  return pathname + search
}
