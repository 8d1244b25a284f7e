import { afterEach, describe, expect, it } from 'vitest'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { unseal } from '#fairway/server/kernel/crypto/seal'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { runDueJobs, startJobs } from '#fairway/server/kernel/jobs'
import { purgeMails, queueMail, sendMailJob, writeMail } from '#fairway/server/kernel/mail/queue-mail'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { readTimeZone } from '#fairway/server/kernel/http/cookie'
import { renderMail } from '#fairway/server/kernel/mail/render-mail'
import { mailOutbox } from '#fairway/server/kernel/mail/tables'
import { createTestApp, type TestApp } from '../../../support/app'
import { openEmptyDatabase, platformMigrations, quietLog } from '../../../support/database'
import { startSmtp } from '../../../support/mail'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'
import { serveSilence } from '../../../support/web-server'

const SEND_MAIL = { name: 'fw-send-mail', job: sendMailJob }

const test = useTestApp()
const opened: TestApp[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(one => one.close()))
})

async function appWithMail(url: string): Promise<TestApp> {
  const made = await createTestApp({ SMTP_URL: url, EMAIL_FROM: 'no-reply@example.test' })
  opened.push(made)
  return made
}

const content = () => ({ name: 'hello', subject: 'Hello', lines: ['A secret-link-123 line.'], notes: [] })
const rowsOf = (app: App) => app.db.orm.select().from(mailOutbox)
const later = (app: App, seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })
const textOf = (app: App, { id, content: sealed }: { id: string; content: string }): unknown =>
  JSON.parse(unseal(app.config.keys, 'mail-outbox', sealed, id))

describe('the mail outbox', () => {
  it('sends in the background and deletes sent mails', async () => {
    const smtp = await startSmtp()
    const { app } = await appWithMail(smtp.url)
    const stop = startJobs(app, [SEND_MAIL])
    await queueMail(app, 'ada@example.test', content())
    expect(await smtp.mailTo('ada@example.test')).toMatchObject({ subject: 'Hello' })
    await expect.poll(() => rowsOf(app)).toEqual([])
    await stop()
    await smtp.stop()
  })

  it('does not wait for a silent mail server and seals waiting mails', async () => {
    const silent = await serveSilence()
    const { app } = await appWithMail(`smtp://127.0.0.1:${silent.port}`)
    const began = performance.now()
    await queueMail(app, 'ada@example.test', content())
    // Sending to a silent mail server fails only after 15 seconds.
    expect(performance.now() - began).toBeLessThan(5000)
    const rows = [...(await rowsOf(app)), ...(await query(app, 'select * from fw_jobs'))]
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toMatch(/ada@|secret-link/)
    await silent.stop()
  })

  it('never sends a mail whose transaction was rolled back', async () => {
    const smtp = await startSmtp()
    const { app } = await appWithMail(smtp.url)
    const takenBack = app.db.orm.transaction(async tx => {
      await writeMail(app, tx, { to: 'ada@example.test', content: content() })
      throw new Error('taken back')
    })
    await expect(takenBack).rejects.toThrow('taken back')
    expect(await runDueJobs(app, [SEND_MAIL])).toEqual([])
    expect(await rowsOf(app)).toEqual([])
    await smtp.stop()
  })

  it('tries nine times in about 45 minutes, then gives up and deletes the text', async () => {
    const smtp = await startSmtp({ refuses: 'for-now' })
    const { app } = await appWithMail(smtp.url)
    await queueMail(app, 'ada@example.test', content())
    const began = Date.now()
    let clock = 0
    for (let tries = 1; tries < 9; tries++) {
      expect(await runDueJobs(later(app, clock), [SEND_MAIL])).toMatchObject([{ state: 'scheduled' }])
      const [job] = await query(app, 'select run_at from fw_jobs')
      clock = Math.ceil((Number(job?.run_at) - began) / 1000) + 1
    }
    expect(clock / 60).toBeGreaterThan(40)
    expect(clock / 60).toBeLessThan(55)
    expect(await runDueJobs(later(app, clock), [SEND_MAIL])).toMatchObject([{ state: 'failed' }])
    const [row] = await rowsOf(app)
    expect(row).toMatchObject({ name: 'hello', error: expect.stringMatching(/451|no such mailbox/) })
    expect(row && textOf(app, row)).toEqual({ to: 'ada@example.test', subject: 'Hello' })
    await purgeMails(later(app, 8 * 24 * 3600 + clock))
    expect(await rowsOf(app)).toEqual([])
    await smtp.stop()
  })

  it('gives up at once when the server rejects the address permanently', async () => {
    const smtp = await startSmtp({ refuses: 'for-good' })
    const { app } = await appWithMail(smtp.url)
    await queueMail(app, 'ada@example.test', content())
    expect(await runDueJobs(app, [SEND_MAIL])).toMatchObject([
      { state: 'failed', error: expect.stringMatching(/550|no such mailbox/) },
    ])
    expect(await rowsOf(app)).toMatchObject([{ failedAt: expect.any(Date) }])
    await smtp.stop()
  })

  it('migrates mails that wait in the outbox of the previous version', async () => {
    const db = await openEmptyDatabase()
    const platform = await platformMigrations()
    await migrateAll(db, { platform: platform.slice(0, 4), application: [] }, quietLog)
    await db.client.execute(`insert into mail_outbox (id, content, tries, next_try_at, failed_at, created_at)
      values ('waits', 'x', 1, 5, null, 1), ('given-up', '', 5, null, 2, 1)`)
    await migrateAll(db, { platform, application: [] }, quietLog)
    const { rows } = await db.client.execute('select name, input, state, most_attempts from fw_jobs')
    expect(rows).toMatchObject([
      { name: 'fw-send-mail', input: '{"mailId":"waits"}', state: 'ready', most_attempts: 9 },
    ])
    await db.close()
  })
})

describe('renderMail', () => {
  it('returns the same content as text and HTML, without markup and line breaks from names', async () => {
    const mail = await renderMail(
      {
        name: 'hello',
        subject: 'Eve\r\nBcc: all@example.test invites you',
        lines: ['<b>Eve</b>\nhttps://evil.test invites you.'],
        action: { label: 'Accept', href: 'https://app.example.test/x?a=1&b=2' },
        notes: ['It works once.'],
      },
      { brand: defineFwConfig().brand, baseUrl: 'https://app.example.test' },
    )
    expect(mail.subject).toBe('Eve Bcc: all@example.test invites you')
    expect(mail.text).toBe(
      '<b>Eve</b> https://evil.test invites you.\n\nAccept:\nhttps://app.example.test/x?a=1&b=2\n\nIt works once.\n\n-- \nFairway\n',
    )
    expect(mail.html).toContain('&lt;b&gt;Eve&lt;/b&gt; https://evil.test invites you.')
    expect(mail.html).toContain('href="https://app.example.test/x?a=1&amp;b=2"')
  })

  it('uses the application’s name and accent, and its logo when mail programs can show it', async () => {
    const content = {
      name: 'x',
      language: 'de',
      subject: 'x',
      lines: ['y'],
      action: { label: 'z', href: '/' },
      notes: [],
    }
    const look = (logo: string) => ({
      brand: defineFwConfig({ brand: { name: 'Larch', accent: '#7c3aed', logo } }).brand,
      baseUrl: 'https://app.example.test',
    })
    const { html, text } = await renderMail(content, look('/brand/logo.png'))
    expect(text).toMatch(/-- \nLarch\n$/)
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('background:#7c3aed;color:#ffffff')
    expect(html).toMatch(/<img src="https:\/\/app\.example\.test\/brand\/logo\.png" alt[^>]*>Larch<\/p>/)
    expect((await renderMail(content, look('/logo.svg'))).html).not.toContain('<img')
  })
})

describe('the facts of a mail', () => {
  const contentIn = (language: string) => {
    const values = {
      email: 'ada@example.test',
      when: '1 May 2031 at 09:00 CEST',
      device: 'Firefox on Linux',
      address: '',
    }
    return mailContent(test.app, 'password-changed', { values, href: '/settings', language })
  }

  it('are a table below a headline, without those that are unknown, and lines of the text', async () => {
    const { subject, text, html } = await renderMail(contentIn('en'), test.app.config)
    expect(subject).toBe('Your password was changed (Fairway)')
    expect(html).toMatch(/<h1[^>]*>Your password was changed<\/h1>/)
    const rows = [...html.matchAll(/<th[^>]*>([^<]*)<\/th><td[^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, ...row]) => row)
    expect(rows).toEqual([
      ['Account', 'ada@example.test'],
      ['When', '1 May 2031 at 09:00 CEST'],
      ['Device', 'Firefox on Linux'],
    ])
    expect(text).toContain('Account: ada@example.test\nWhen: 1 May 2031 at 09:00 CEST\nDevice: Firefox on Linux\n\n')
    expect(text).toMatch(/-- \nFairway\nYou got this email because you have an account at Fairway\.\n$/)
  })

  it('have a mark and a plain address of the button, and are right-to-left in Arabic', async () => {
    const { html } = await renderMail(contentIn('ar'), test.app.config)
    const { baseUrl } = test.app.config
    expect(html).toContain(`<img src="${baseUrl}/mail-mark.png"`)
    expect(html).toContain(`>${baseUrl}/settings</a>`)
    expect(html).toMatch(/<html lang="ar" dir="rtl">.*dir="rtl".*<td class="pad text" align="right".*>الجهاز<\/th>/s)
  })
})

describe('mailTime', () => {
  const time = new Date('2031-05-20T09:00:00Z')

  it.each([
    [undefined, 'en', '20 May 2031 at 09:00 UTC'],
    ['Europe/Berlin', 'en', '20 May 2031 at 11:00 CEST'],
    ['Europe/Berlin', 'de', '20. Mai 2031 um 11:00 MESZ'],
    ['Asia/Kolkata', 'en', '20 May 2031 at 14:30 GMT+5:30'],
  ])('formats a time in the zone %s in %s with the name of the zone', (zone, language, text) => {
    expect(mailTime(time, language, zone)).toBe(text)
  })
})

describe('readTimeZone', () => {
  it.each([
    ['fw-time-zone=Europe/Berlin', 'Europe/Berlin'],
    ['a=1; fw-time-zone=America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
    ['fw-time-zone=Etc/GMT+5', 'Etc/GMT+5'],
    ['fw-time-zone=Mars/Olympus', undefined],
    ['fw-time-zone=%3Cb%3E', undefined],
    [`fw-time-zone=${'A'.repeat(100)}`, undefined],
    [undefined, undefined],
  ])('reads %j as %j', (cookie, zone) => expect(readTimeZone(cookie)).toBe(zone))
})
