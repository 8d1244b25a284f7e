import type { MailConfig } from '../config/config'
import type { Log } from '../events/log'
import { type Mail, writeToOutbox } from './outbox'

export interface Mailer {
  /** True when mails reach people, so that flows which need one can be offered. */
  isReady: boolean
  /** True when mails go to a mail server, which may be slow or away. */
  isRemote: boolean
  /** Sends one mail; throws when the mail server does not take it. */
  send(mail: Mail): Promise<void>
}

const SEND_LIMIT_IN_MS = 15_000

/** Sends by SMTP when a server is configured; otherwise development writes mails to a folder, and production sends none. */
export function createMailer({ smtp, outbox }: Pick<MailConfig, 'smtp' | 'outbox'>, log: Log): Mailer {
  if (smtp) return smtpMailer(smtp, log)
  if (outbox) return outboxMailer(outbox, log)
  return { isReady: false, isRemote: false, send: () => Promise.reject(new Error('no mail server is configured')) }
}

const limits = {
  connectionTimeout: SEND_LIMIT_IN_MS,
  greetingTimeout: SEND_LIMIT_IN_MS,
  socketTimeout: SEND_LIMIT_IN_MS,
}

const smtpMailer = ({ url, from }: { url: string; from: string }, log: Log): Mailer => ({
  isReady: true,
  isRemote: true,
  async send({ to, subject, text, html }) {
    // Loaded with the first mail: starting the server does not need it.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ url, ...limits })
    await withinLimit(transport.sendMail({ from, to: { name: '', address: to }, subject, text, html }), () =>
      transport.close(),
    )
    log.info('mail sent', { subject })
  },
})

// The library's limits are for silence; a server that keeps talking slowly has a limit too.
async function withinLimit<T>(sending: Promise<T>, stop: () => void): Promise<T> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    stop()
    over.reject(new Error('the mail server took too long'))
  }, SEND_LIMIT_IN_MS)
  try {
    return await Promise.race([sending, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

const outboxMailer = (folder: string, log: Log): Mailer => ({
  isReady: true,
  isRemote: false,
  async send(mail) {
    const path = await writeToOutbox(folder, mail)
    log.info('mail written to the outbox', { path, subject: mail.subject })
  },
})
