import type { Mailer } from '../server/kernel/mail/mailer'

/** A mail that the application sent. */
export interface TestMail {
  to: string
  subject: string
  text: string
  html?: string
  /** The addresses in its text, in their order. */
  links: readonly string[]
}

/** Where the mails of a test application arrive. */
export function createOutbox() {
  const mails: TestMail[] = []
  const mailer: Mailer = {
    isReady: true,
    isRemote: false,
    async send(mail) {
      mails.push({ ...mail, links: [...mail.text.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => link) })
    },
  }
  return {
    mails,
    mailer,
    /** Does work whose mails are not kept. */
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
