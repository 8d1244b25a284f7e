import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { deliverMails } from '#fairway/server/kernel/mail/queue-mail'
import { renderMail } from '#fairway/server/kernel/mail/render-mail'
import { mailOutbox } from '#fairway/server/kernel/mail/tables'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { queueMail, startMailDelivery, purgeMails } from '../../../../layers/fairway/server/kernel/mail/queue-mail'
import { createTestApp, type TestApp } from '../../../support/app'
import { startSmtp } from '../../../support/mail'
import { serveSilence } from '../../../support/web-server'

const opened: TestApp[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(one => one.close()))
})

async function appWithMail(url: string, database?: string): Promise<TestApp> {
  const env: Record<string, string> = { SMTP_URL: url, EMAIL_FROM: 'no-reply@example.test' }
  const made = await createTestApp(database ? { ...env, DATABASE_URL: database } : env)
  opened.push(made)
  return made
}

const content = (subject = 'Hello') => ({ subject, lines: ['A secret-link-123 line.'], notes: [] })
const rowsOf = (app: App) => app.db.orm.select().from(mailOutbox)
const later = (app: App, seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })
const newDatabase = () => `file:${join(mkdtempSync(join(tmpdir(), 'fw-outbox-')), 'one.db')}`

describe('the mail outbox', () => {
  it('sends in the background and keeps nothing of what was taken', async () => {
    const smtp = await startSmtp()
    const { app } = await appWithMail(smtp.url)
    await queueMail(app, 'ada@example.test', content())
    expect(await smtp.mailTo('ada@example.test')).toMatchObject({ subject: 'Hello' })
    await expect.poll(() => rowsOf(app)).toEqual([])
    await smtp.stop()
  })

  it('leaves none behind that comes while the last look ends', async () => {
    const smtp = await startSmtp()
    const { app } = await appWithMail(smtp.url)
    for (let moment = 0; moment < 40; moment++) {
      const to = `person${moment}@example.test`
      const id = newId()
      const sealed = seal(
        app.config.keys,
        'mail-outbox',
        JSON.stringify({ to, subject: 'Hello', text: '', html: '' }),
        id,
      )
      const looking = deliverMails(app)
      // Written together with the statement that finds nothing to send.
      await app.db.orm.insert(mailOutbox).values({ id, content: sealed, nextTryAt: app.now(), createdAt: app.now() })
      for (let turn = 0; turn < moment; turn++) await Promise.resolve()
      void deliverMails(app)
      await smtp.mailTo(to)
      await looking
    }
    await expect.poll(() => rowsOf(app)).toEqual([])
    await smtp.stop()
  })

  it('does not wait for a mail server that says nothing, and seals what waits', async () => {
    const silent = await serveSilence()
    const { app } = await appWithMail(`smtp://127.0.0.1:${silent.port}`)
    const began = performance.now()
    await queueMail(app, 'ada@example.test', content())
    expect(performance.now() - began).toBeLessThan(200)
    const [row] = await rowsOf(app)
    expect(JSON.stringify(row)).not.toMatch(/ada@|secret-link/)
    await silent.stop()
  })

  it('tries five times in about an hour, then gives up and keeps no text', async () => {
    const smtp = await startSmtp({ refuse: true })
    const { app, lines } = await appWithMail(smtp.url)
    await queueMail(app, 'ada@example.test', content())
    const delays: number[] = []
    let clock = 0
    for (let tries = 1; tries < 5; tries++) {
      await expect.poll(async () => (await rowsOf(app))[0]?.tries).toBe(tries)
      await deliverMails(later(app, clock))
      const next = (await rowsOf(app))[0]?.nextTryAt?.getTime() ?? 0
      delays.push(Math.round((next - Date.now()) / 1000 - clock))
      clock += delays.at(-1)! + 5
      await deliverMails(later(app, clock))
    }
    expect(delays.map(seconds => Math.round(seconds / 10) * 10)).toEqual([30, 120, 600, 3600])
    await expect.poll(async () => (await rowsOf(app))[0]).toMatchObject({ tries: 5, content: '', nextTryAt: null })
    expect(lines().map(({ message }) => message)).toContain('a mail was given up')
    await purgeMails(later(app, 8 * 24 * 3600 + clock))
    expect(await rowsOf(app)).toEqual([])
    await smtp.stop()
  })

  it('survives a restart: the next process sends what waited', async () => {
    const database = newDatabase()
    const gone = await startSmtp()
    await gone.stop()
    const first = await appWithMail(gone.url, database)
    await queueMail(first.app, 'ada@example.test', content('Later'))
    await expect.poll(async () => (await rowsOf(first.app))[0]?.tries).toBe(1)
    const smtp = await startSmtp()
    const second = await appWithMail(smtp.url, database)
    await second.app.db.orm.update(mailOutbox).set({ nextTryAt: new Date(0) })
    const stop = startMailDelivery({ ...second.app, config: { ...second.app.config, keys: first.app.config.keys } })
    expect(await smtp.mailTo('ada@example.test')).toMatchObject({ subject: 'Later' })
    await stop()
    await smtp.stop()
  })

  it('is emptied by several instances at once without sending anything twice', async () => {
    const database = newDatabase()
    const gone = await startSmtp()
    await gone.stop()
    const first = await appWithMail(gone.url, database)
    for (let index = 0; index < 20; index++) await queueMail(first.app, `p${index}@example.test`, content())
    await expect.poll(async () => (await rowsOf(first.app)).every(({ tries }) => tries === 1)).toBe(true)
    const smtp = await startSmtp()
    const others = await Promise.all([appWithMail(smtp.url, database), appWithMail(smtp.url, database)])
    await first.app.db.orm.update(mailOutbox).set({ nextTryAt: new Date(0) })
    await Promise.all(others.map(({ app }) => deliverMails(app)))
    expect(smtp.received.map(({ to }) => to[0]).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `p${index}@example.test`).toSorted(),
    )
    expect(await rowsOf(first.app)).toEqual([])
    await smtp.stop()
  })
})

describe('a mail', () => {
  it('says the same as text and as HTML, and lets no name speak for us', async () => {
    const mail = await renderMail(
      {
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

  it('has the name and the accent of the application, and its logo where mail programs show it', async () => {
    const content = { language: 'de', subject: 'x', lines: ['y'], action: { label: 'z', href: '/' }, notes: [] }
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
