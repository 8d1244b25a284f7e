import type { Mailer } from '../server/kernel/mail/mailer'

/** A mail that the application sent. */
export interface TestMail {
  to: string
  subject: string
  text: string
  html?: string
  /** The addresses in its text, in order. */
  links: readonly string[]
  attachments: readonly { name: string; type?: string; content: Buffer }[]
}

/** The outbox of a test application. */
export function createOutbox() {
  const mails: TestMail[] = []
  const mailer: Mailer = {
    isReady: true,
    isRemote: false,
    async send(mail) {
      const attachments = (mail.attachments ?? []).map(({ content = '', ...file }) => {
        return { ...file, content: Buffer.from(content, 'base64') }
      })
      mails.push({
        ...mail,
        attachments,
        links: [...mail.text.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => link),
      })
    },
  }
  return {
    mails,
    mailer,
    /** Runs the work without keeping the mails that it sends. */
    async quietly<T>(work: () => Promise<T>): Promise<T> {
      const before = mails.length
      try {
        return await work()
      } finally {
        mails.length = before
      }
    },
  }
}
