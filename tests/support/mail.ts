import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  to: string[]
  subject: string
  text: string
  html: string
  /** The first URL in the text. */
  link: string
}

/** The header of a mail and its parts, split at the boundaries that it declares (RFC 2046, 5.1.1): a text may begin a line with "--" too. */
export function mailParts(data: string): string[] {
  const boundaries = [...data.matchAll(/boundary="([^"]+)"/g)].map(([, boundary]) => `\r\n--${boundary}\r\n`)
  return boundaries.reduce((parts, boundary) => parts.flatMap(part => part.split(boundary)), [data])
}

function toReadable({ to, data }: { to: string[]; data: string }): ReceivedMail {
  const [, text = '', html = ''] = mailParts(data).map(toText)
  const subject = /^Subject: (.+)$/m.exec(data)?.[1] ?? ''
  return { to, subject, text, html, link: /https?:\S+/.exec(text)?.[0] ?? '' }
}

function toText(part: string): string {
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  if (/transfer-encoding: base64/i.test(part)) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = body
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

interface SmtpOptions {
  /** Refuses every address: `for-now` with 451, `for-good` with 550 (RFC 5321). */
  refuses?: 'for-now' | 'for-good'
  /** Default: a free port. */
  port?: number
}

const refusal = (refuses: SmtpOptions['refuses']): Error | null =>
  refuses ? Object.assign(new Error('no such mailbox'), { responseCode: refuses === 'for-now' ? 451 : 550 }) : null

/** A real mail server on a free port that records the mails it receives. */
export async function startSmtp(options: SmtpOptions = {}) {
  const received: { from: string; to: string[]; data: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => done(refusal(options.refuses)),
    onData(stream, { envelope }, done) {
      let data = ''
      stream.on('data', chunk => (data += String(chunk)))
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo.map(recipient => recipient.address), data })
        done()
      })
    },
  })
  // A server that is killed resets its connections.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo

  /** The newest mail to an address in readable form. Waits for it, because mails are sent after the response. */
  async function mailTo(address: string, subject = /./): Promise<ReceivedMail> {
    for (let tries = 0; tries < 250; tries++) {
      const mail = received
        .map(toReadable)
        .findLast(one => one.to.includes(address.toLowerCase()) && subject.test(one.subject))
      if (mail) return mail
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    throw new Error(`no mail came to ${address}`)
  }

  return {
    mailTo,
    url: `smtp://127.0.0.1:${port}`,
    received,
    stop: () => new Promise<void>(resolve => server.close(resolve)),
  }
}

export interface OutboxMail {
  to: string
  subject: string
  text: string
  html: string
}

/** The mails in a test server's outbox, newest at the end; throws when there are none. */
export function readOutbox(dataDir: string): OutboxMail[] {
  const folder = join(dataDir, 'outbox')
  return readdirSync(folder)
    .toSorted()
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as OutboxMail)
}

/** The newest mail to an address in an outbox, with its first link; throws when there is none. */
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
