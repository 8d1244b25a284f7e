import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMailer } from '#fairway/server/kernel/mail/mailer'
import { quietLog } from '../../../support/database'
import { startSmtp } from '../../../support/mail'

const mail = { to: 'ada@example.test', subject: 'Grüße', text: 'One line.\nÄnother line.' }

describe('createMailer with a mail server', () => {
  it('sends to the single address, with sender, subject and text', async () => {
    const smtp = await startSmtp()
    const mailer = createMailer(
      { smtp: { url: smtp.url, from: 'Fairway <no-reply@example.test>' }, outbox: null },
      quietLog,
    )
    expect(mailer.isReady).toBe(true)
    await mailer.send(mail)
    await mailer.send({ ...mail, to: 'a@example.test,b@example.test' }).catch(() => {})
    await smtp.stop()
    expect(smtp.received[0]).toMatchObject({ from: 'no-reply@example.test', to: ['ada@example.test'] })
    expect(smtp.received[0]?.data).toMatch(/Subject: =\?UTF-8\?/)
    expect(smtp.received.flatMap(({ to }) => to)).not.toContain('b@example.test')
  })

  it('throws when the server refuses or is unavailable', async () => {
    const smtp = await startSmtp({ refuses: 'for-now' })
    const mailer = createMailer({ smtp: { url: smtp.url, from: 'no-reply@example.test' }, outbox: null }, quietLog)
    await expect(mailer.send(mail)).rejects.toThrow()
    await smtp.stop()
    await expect(mailer.send(mail)).rejects.toThrow()
  })
})

describe('createMailer without a mail server', () => {
  it('writes mails to the outbox, readable by its owner only', async () => {
    const outbox = join(mkdtempSync(join(tmpdir(), 'fw-mail-')), 'outbox')
    const mailer = createMailer({ outbox }, quietLog)
    await mailer.send(mail)
    const [name = ''] = readdirSync(outbox)
    expect(JSON.parse(readFileSync(join(outbox, name), 'utf8'))).toEqual(mail)
    expect(statSync(join(outbox, name)).mode & 0o077).toBe(0)
  })

  it('is not ready in production and throws instead of losing the mail', async () => {
    const mailer = createMailer({ outbox: null }, quietLog)
    expect(mailer.isReady).toBe(false)
    await expect(mailer.send(mail)).rejects.toThrow('no mail server')
  })
})
