import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailConfig } from '../config/config'
import { newId } from '../crypto/random'
import type { Log } from '../events/log'

export interface Mail {
  to: string
  subject: string
  /** Plain text; lines are wrapped by the reader. */
  text: string
}

export interface Mailer {
  /** True when mails reach people, so that flows which need one can be offered. */
  isReady: boolean
  /** Sends one mail; throws when the mail server does not take it. */
  send(mail: Mail): Promise<void>
}

const SEND_LIMIT_IN_MS = 10_000

/** Sends by SMTP when a server is configured; otherwise development writes mails to a folder, and production sends none. */
export function createMailer(config: MailConfig, log: Log): Mailer {
  if (config.smtp) return smtpMailer(config.smtp, log)
  const { outbox } = config
  if (outbox) return { isReady: true, send: mail => writeToOutbox(outbox, mail, log) }
  return { isReady: false, send: () => Promise.reject(new Error('no mail server is configured')) }
}

const smtpMailer = ({ url, from }: { url: string; from: string }, log: Log): Mailer => ({
  isReady: true,
  async send({ to, subject, text }) {
    // Loaded with the first mail: starting the server does not need it.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ url, connectionTimeout: SEND_LIMIT_IN_MS, socketTimeout: SEND_LIMIT_IN_MS })
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    log.info('mail sent', { subject })
  },
})

async function writeToOutbox(folder: string, mail: Mail, log: Log): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${newId()}.json`)
  await writeFile(path, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 })
  log.info('mail written to the outbox', { path, subject: mail.subject })
}
