import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OutboxMail {
  to: string
  subject: string
  text: string
}

/** The mails that a test server has written to its outbox, the newest last. */
export function readOutbox(dataDir: string): OutboxMail[] {
  const folder = join(dataDir, 'outbox')
  return readdirSync(folder)
    .toSorted()
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as OutboxMail)
}

/** The path of the invitation page in the newest mail to an address. */
export function invitationPath(dataDir: string, email: string): string {
  const mail = readOutbox(dataDir).findLast(({ to }) => to === email)
  const link = mail?.text.match(/https?:\/\/\S+\/invitation\?\S+/)?.[0]
  if (!link) throw new Error(`no invitation was mailed to ${email}`)
  const { pathname, search } = new URL(link)
  return pathname + search
}
