import { h } from 'vue'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { changeTopics, previewPage, sendMail, topicsPage } from '#fairway/server/domains/mails'
import { declareWork } from '#fairway/server/declare-work'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import { files } from '#fairway/server/domains/files/tables'
import { newId } from '#fairway/server/kernel/crypto/random'
import { rememberLanguage } from '#fairway/server/domains/people'
import { withRun } from '#fairway/server/kernel/current-run'
import { retryJob, runDueJobs } from '#fairway/server/kernel/jobs'
import { defineMail, type MailAttachment } from '#fairway/server/kernel/mail/define-mail'
import { contentOf, declareMails, mailContent } from '#fairway/server/kernel/mail/mail-content'
import { mailFaults } from '#fairway/server/kernel/mail/mail-faults'
import { sendMailJob } from '#fairway/server/kernel/mail/queue-mail'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Orm } from '#fairway/server/kernel/database/client'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { mailParts, startSmtp } from '../../../support/mail'
import { query } from '../../../support/query'

const SEND_MAIL = { name: 'fw-send-mail', job: sendMailJob }

const morning = defineMail({
  description: 'The deals of the day.',
  data: z.object({ name: z.string(), deals: z.array(z.object({ title: z.string(), amount: z.number() })) }),
  example: { name: 'Ada', deals: [{ title: 'Larch', amount: 40 }] },
  href: ({ name }) => `/deals?of=${name}`,
  body: ({ deals }, { t, language }) =>
    h('table', [
      h('tr', [h('th', t('deal')), h('th', t('amount'))]),
      ...deals.map(({ title, amount }) => h('tr', [h('td', title), h('td', amount.toLocaleString(language))])),
    ]),
  topic: 'digest',
  mostPerHour: 2,
})

const TEXTS = {
  en: {
    subject: 'Good morning, {name}',
    lines: ['These close today.'],
    action: 'See all deals',
    notes: ['Sent by {product}.'],
    words: { deal: 'Deal', amount: 'Amount' },
  },
  de: {
    subject: 'Guten Morgen, {name}',
    lines: ['Diese enden heute.'],
    action: 'Alle ansehen',
    words: { deal: 'Abschluss', amount: 'Betrag' },
  },
}

let test: TestApp
let smtp: Awaited<ReturnType<typeof startSmtp>>
beforeAll(() => {
  // Adds the texts as an application's catalogs do.
  for (const language of ['en', 'de'] as const) messagesOf(language).mails.morning = TEXTS[language]
})
afterAll(() => {
  for (const language of ['en', 'de'] as const) delete messagesOf(language).mails.morning
})
beforeEach(async () => {
  smtp = await startSmtp()
  test = await createTestApp({ SMTP_URL: smtp.url, EMAIL_FROM: 'Larch <no-reply@example.test>', FW_RATE_LIMITS: 'on' })
  declareMails(test.app, [{ name: 'morning', mail: morning }])
})
afterEach(async () => {
  await test.close()
  await smtp.stop()
})

const DEALS = [
  { title: '<b>Alder</b>', amount: 1200 },
  { title: 'Birch', amount: 7 },
]
const send = (db: Pick<Orm, 'insert' | 'run' | 'all' | 'select'> = test.app.db.orm, to = 'ada@example.test') =>
  withRun({ app: test.app, session: null }, () =>
    sendMail(db, 'morning' as never, { to, data: { name: 'Ada', deals: DEALS } } as never),
  )
const deliver = () => runDueJobs(test.app, [SEND_MAIL])
const tokenIn = (text: string): string => /token=([\w.-]+)/.exec(text)?.[1] ?? ''

describe('attachments', () => {
  const attach = (attachments: readonly MailAttachment[], to = 'ada@example.test') =>
    withRun({ app: test.app, session: null }, () =>
      sendMail(test.app.db.orm, 'morning' as never, { to, data: { name: 'Ada', deals: DEALS }, attachments } as never),
    )
  const store = async (text: string, name: string) => {
    const id = newId()
    const row = { id, orgId: 'o', upload: 'papers', name, type: 'application/pdf', size: text.length, sha256: '' }
    async function* bytes() {
      yield Buffer.from(text)
    }
    await (await storageOf(test.app)).write(id, bytes())
    await test.app.db.orm.insert(files).values({ ...row, state: 'kept', createdAt: test.app.now() })
    return id
  }
  const event = { id: 'lesson-1@larch', title: 'Trial lesson', start: new Date('2031-05-01T16:30:00Z') }
  const entry = { ...event, end: new Date('2031-05-01T17:30:00Z'), location: 'Room 2' }
  /** The decoded parts of the newest mail, each with its header. */
  const parts = () =>
    mailParts(smtp.received.at(-1)?.data ?? '').map(part => {
      const [head = '', body = ''] = part.split('\r\n\r\n')
      return { head, text: /base64/.test(head) ? Buffer.from(body, 'base64').toString() : body }
    })
  beforeEach(() =>
    declareWork(test.app, { jobs: [], mails: [{ name: 'morning', mail: morning }], actions: async () => [] }),
  )

  it('arrive with name, type and bytes: a text, bytes and a stored file', async () => {
    const file = await store('%PDF-1.7 lease', 'Mietvertrag für Ada.pdf')
    await attach([{ name: 'notes.txt', content: 'Zoë' }, { name: 'b.bin', content: new Uint8Array([1, 2]) }, { file }])
    await deliver()
    const found = parts()
    expect(found.find(({ head }) => head.includes('notes.txt'))?.text).toBe('Zoë')
    expect(found.find(({ head }) => head.includes('b.bin'))?.text).toBe('\u0001\u0002')
    const pdf = found.find(({ head }) => head.includes('application/pdf'))
    expect([pdf?.text, pdf?.head]).toEqual(['%PDF-1.7 lease', expect.stringContaining('Mietvertrag')])
  })

  it('show a calendar entry as a form of the mail, with the method and the times in UTC', async () => {
    const organizer = { name: 'Larch', email: 'hello@example.test' }
    await attach([{ event: { ...entry, method: 'request', organizer, sequence: 2 } }])
    await deliver()
    const calendar = parts().find(({ head }) => /text\/calendar/.test(head))
    expect(calendar?.head).toMatch(/method="?REQUEST/i)
    for (const line of ['SUMMARY:Trial lesson', 'DTSTART:20310501T163000Z', 'SEQUENCE:2', 'UID:lesson-1@larch'])
      expect(calendar?.text).toContain(line)
  })

  it('are refused beyond the limits, with the place of the attachment, and nothing is queued', async () => {
    const big = { name: 'big.bin', content: new Uint8Array(4 * 1024 * 1024) }
    const attempts: [readonly MailAttachment[], string][] = [
      [Array.from({ length: 11 }, () => ({ name: 'a.txt', content: 'a' })), 'attachments.10'],
      [[big, big], 'attachments.1'],
      [[{ name: 'a/b.txt', content: 'a' }], 'attachments.0'],
      [[{ name: 'a\r\nBcc: x@example.test', content: 'a' }], 'attachments.0'],
      [[{ file: newId() }], 'attachments.0'],
      [[{ event: { ...entry, end: entry.start } }], 'attachments.0'],
      [[{ event: { ...entry, method: 'cancel' } }], 'attachments.0'],
    ]
    for (const [index, [attachments, path]] of attempts.entries())
      await expect(attach(attachments, `p${index}@example.test`)).rejects.toMatchObject({
        code: 'invalid-input',
        errors: [{ path }],
      })
    expect(await deliver()).toEqual([])
  })

  it('end a mail whose file was deleted before it was sent, with the reason', async () => {
    const file = await store('x', 'gone.pdf')
    await attach([{ file }])
    await (await storageOf(test.app)).remove(file)
    expect(await deliver()).toMatchObject([{ state: 'failed' }])
    expect(await query(test.app, 'select error from mail_outbox')).toEqual([
      { error: 'The attached file gone.pdf was deleted.' },
    ])
  })
})

describe('sendMail', () => {
  it('sends the declared content and catalog texts as plain text and HTML', async () => {
    expect(await send()).toBe('queued')
    await deliver()
    const mail = await smtp.mailTo('ada@example.test')
    expect(mail.subject).toBe('Good morning, Ada')
    expect(mail.text.replaceAll('\r', '')).toMatch(
      /These close today\.\n\nDeal +Amount\n<b>Alder<\/b> +1,200\nBirch +7\n\nSee all deals:\n/,
    )
    expect(mail.text).toContain(`${test.app.config.baseUrl}/deals?of=Ada`)
    expect(mail.text).toContain('Sent by Fairway.')
    expect(mail.html).toContain('<td>&lt;b&gt;Alder&lt;/b&gt;</td>')
    const [raw] = smtp.received
    expect(raw?.data).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    expect(raw?.data).toMatch(/^Message-ID: <[\w-]+@example\.test>\r$/m)
  })

  it('links to private pages in the organization of the session or job, and elsewhere without it', async () => {
    const { app } = test
    const page = (path: string, kind: 'private' | 'public') => ({ path, pattern: new RegExp(`^${path}$`), kind })
    const pages = [page('/deals', 'private'), page('/prices', 'public')]
    declareWork(app, { jobs: [], mails: [], actions: async () => [], pages })
    const org = `insert into organizations (id, name, slug, created_by, created_at) values ('o', 'Larch', 'larch', 'ada', 0)`
    await query(app, org)
    let count = 0
    const linkOf = async (href: string, run: { orgId?: string; session?: Session }) => {
      const to = `p${++count}@example.test`
      declareMails(app, [{ name: 'morning', mail: defineMail({ description: 'x', example: {}, href: () => href }) }])
      await withRun({ app, session: null, ...run }, () =>
        sendMail(app.db.orm, 'morning' as never, { to, data: {} } as never),
      )
      await deliver()
      return /(http\S+)/.exec((await smtp.mailTo(to)).text.split('See all deals:')[1] ?? '')?.[1]
    }
    const { baseUrl } = app.config
    expect(await linkOf('/deals?of=Ada#top', { orgId: 'o' })).toBe(`${baseUrl}/o/larch/deals?of=Ada#top`)
    expect(await linkOf('/deals', { session: { orgId: 'o' } as Session })).toBe(`${baseUrl}/o/larch/deals`)
    expect(await linkOf('/deals', {})).toBe(`${baseUrl}/deals`)
    for (const path of ['/prices', '/no/such/page', '/_fw/session', '/o/larch/deals'])
      expect(await linkOf(path, { orgId: 'o' })).toBe(baseUrl + path)
    expect(await linkOf('https://example.net/deals', { orgId: 'o' })).toBe('https://example.net/deals')
  })

  it('uses the language that the recipient has chosen in the app', async () => {
    const insert = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values ('u1', 'A', 'ada@example.test', 1, 'person', 0, 0)`
    await query(test.app, insert)
    await rememberLanguage(test.app, 'u1', 'de')
    await send()
    await deliver()
    expect(await smtp.mailTo('ada@example.test')).toMatchObject({ subject: 'Guten Morgen, Ada' })
  })

  it('is part of the transaction, so rolled-back mails are neither sent nor counted', async () => {
    for (let times = 0; times < 3; times++) {
      const takenBack = test.app.db.orm.transaction(async tx => {
        await send(tx)
        throw new Error('taken back')
      })
      await expect(takenBack).rejects.toThrow('taken back')
    }
    expect(await deliver()).toEqual([])
    await test.app.db.orm.transaction(tx => send(tx))
    expect(await deliver()).toMatchObject([{ state: 'done' }])
  })

  it('limits mails per recipient and hour as declared', async () => {
    await send()
    await send()
    await expect(send()).rejects.toMatchObject({ code: 'rate-limited' })
    expect(await send(undefined, 'ben@example.test')).toBe('queued')
  })

  it('rejects an invalid address, invalid data and an unknown mail', async () => {
    await expect(send(undefined, 'ada@')).rejects.toMatchObject({ code: 'invalid-input' })
    const other = (name: string, data: unknown) =>
      withRun({ app: test.app, session: null }, () =>
        sendMail(test.app.db.orm, name as never, { to: 'ada@example.test', data } as never),
      )
    await expect(other('morning', {})).rejects.toThrow(/deals/)
    await expect(other('evening', {})).rejects.toThrow('there is no mail evening in server/mails')
    expect(await query(test.app, 'select * from mail_outbox')).toEqual([])
  })

  it('keeps a failed mail, which can be sent when the mail server is back', async () => {
    await smtp.stop()
    await send()
    await query(test.app, 'update fw_jobs set most_attempts = 1')
    expect(await deliver()).toMatchObject([{ state: 'failed' }])
    const port = Number(new URL(smtp.url).port)
    smtp = await startSmtp({ port })
    const [job] = await query(test.app, 'select id from fw_jobs')
    expect(await retryJob(test.app, String(job?.id))).toBe(true)
    expect(await deliver()).toMatchObject([{ state: 'done' }])
    expect(await query(test.app, 'select * from mail_outbox')).toEqual([])
  })
})

describe('mail topic', () => {
  const mailed = async () => {
    await send()
    await deliver()
    return tokenIn((await smtp.mailTo('ada@example.test')).text)
  }

  it('is switched off with one click in a mail program, for this address only', async () => {
    const token = await mailed()
    await changeTopics(test.app, { token, language: 'en' })
    expect(await send()).toBe('switched-off')
    expect(await send(undefined, 'ben@example.test')).toBe('queued')
    expect(JSON.stringify(await query(test.app, 'select * from fw_mail_opt_outs'))).not.toContain('ada@')
  })

  it('can be switched on again on its page', async () => {
    const token = await mailed()
    await changeTopics(test.app, { token, on: [], language: 'en' })
    const { page } = (await topicsPage(test.app, { token, language: 'en' })) as { page: { html: string } }
    expect(page.html).toMatch(/name="topic:digest" value="on">/)
    await changeTopics(test.app, { token, on: ['digest', 'no-such-topic'], language: 'en' })
    expect(await send()).toBe('queued')
  })

  it('cannot be changed with a forged link', async () => {
    const token = await mailed()
    const forged = `${token.slice(0, -4)}AAAA`
    for (const wrong of ['', 'x', forged]) {
      await expect(changeTopics(test.app, { token: wrong, language: 'en' })).rejects.toMatchObject({
        code: 'link-unknown',
      })
    }
  })
})

describe('values', () => {
  it('fill the placeholders in the language of the receiver', () => {
    const mail = defineMail({
      description: 'A time.',
      data: z.object({ at: z.string() }),
      example: { at: '2031-05-20T09:30:00Z' },
      values: ({ at }, { language }) => ({ name: new Date(at).toLocaleDateString(language, { timeZone: 'UTC' }) }),
    })
    declareMails(test.app, [{ name: 'morning', mail }])
    const subject = (language: 'en' | 'de') => contentOf(test.app, 'morning', { at: '2031-05-20' }, language).subject
    expect([subject('en'), subject('de')]).toEqual(['Good morning, 5/20/2031', 'Guten Morgen, 20.5.2031'])
  })
})

describe('platform mails', () => {
  const values = { invitedBy: 'Eve', organization: 'Larch', role: 'member', email: 'ada@example.test' }

  it('are replaced by an app’s mail of the same name', () => {
    const own = defineMail({
      description: 'An invitation of ours.',
      data: z.object({ link: z.string(), organization: z.string() }),
      example: { link: '/', organization: 'Larch' },
      href: ({ link }) => link,
      body: ({ organization }) => h('p', `Come to ${organization}`),
    })
    declareMails(test.app, [{ name: 'invitation', mail: own }])
    const content = mailContent(test.app, 'invitation', { values, href: 'https://app.example.test/i' })
    expect(content).toMatchObject({
      body: { type: 'p', children: 'Come to Larch' },
      action: { href: 'https://app.example.test/i' },
    })
  })

  it('have an example that fills every placeholder in their texts', async () => {
    for (const name of Object.keys(messagesOf('en').mails).filter(
      each => !['morning', 'contact-message'].includes(each),
    )) {
      const page = await previewPage(test.app, { mail: name, asHtml: false, language: 'en' })
      expect(page.html, name).not.toMatch(/\{\w+\}/)
    }
  })
})

describe('mailFaults', () => {
  it.each([
    ['has no texts', morning, {}, 'it has no texts: add mails.it'],
    ['shows what it is not given', morning, { subject: '{nobody}', action: 'Go' }, 'its texts show {nobody}'],
    ['has a button without a text', morning, { subject: 'x' }, 'its texts no action'],
  ])('rejects a mail that %s', (_what, mail, texts, fault) => {
    expect(mailFaults('it', mail, { it: texts })).toEqual([expect.stringContaining(fault)])
  })

  it('rejects a mail that replaces a platform mail without accepting its data', () => {
    const texts = { invitation: { subject: 'x', action: 'y' } }
    expect(mailFaults('invitation', morning, texts)).toEqual([expect.stringContaining('must take its data: link')])
  })

  it('accepts a valid mail', () => {
    expect(mailFaults('morning', morning, { morning: TEXTS.en })).toEqual([])
    expect(contentOf(test.app, 'morning', { name: 'Ada', deals: [] }).subject).toBe('Good morning, Ada')
  })
})
