import { describe, expect, it } from 'vitest'
import { afterSignIn, readDevice, rememberLanguage, tellOwner } from '#fairway/server/domains/people'
import { announceDevice } from '#fairway/server/domains/people/devices'
import { backgroundDone } from '#fairway/server/kernel/background'
import { runDueJobs } from '#fairway/server/kernel/jobs'
import { sendMailJob } from '#fairway/server/kernel/mail/queue-mail'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { userAgents } from '../../../support/http'
import { readOutbox, startSmtp } from '../../../support/mail'
import { query } from '../../../support/query'

const test = useTestApp()

const ada = {
  userId: 'ada',
  email: 'ada@example.test',
  provider: 'password',
  ipAddress: '192.0.2.7',
  userAgent: userAgents.firefoxOnLinux,
}
const mails = () => (test.app.config.mail.outbox ? readOutbox(test.app.config.mail.outbox.replace(/outbox$/, '')) : [])
const knownDevices = async () =>
  (await query(test.app, 'select user_id, device from known_devices order by device')).map(row => [
    row.user_id,
    row.device,
  ])

describe('readDevice', () => {
  it.each([
    [userAgents.firefoxOnLinux, 'Firefox', 'Linux'],
    [userAgents.safariOnPhone, 'Safari', 'iOS'],
    [userAgents.edgeOnWindows, 'Microsoft Edge', 'Windows'],
    [userAgents.chromeOnAndroid, 'Chrome', 'Android'],
    ['curl/8.5.0', null, null],
    ['', null, null],
    [null, null, null],
    // The person who signs in controls this text, so our email to the owner must not repeat it.
    ['Your account is closed, visit http://evil.test/ now', null, null],
    ['Mozilla/5.0 (X11; Linux x86_64) constructor/1.0 ', null, 'Linux'],
  ])('reads the user agent %j as %j on %j', async (userAgent, browser, system) => {
    expect(await readDevice(userAgent)).toEqual({ browser, system })
  })
})

describe('device and security emails', () => {
  it('are sent once for a second device, and never for the first device of an account', async () => {
    await announceDevice(test.app, ada)
    await announceDevice(test.app, ada)
    await expect(async () => mails()).rejects.toThrow()
    const phone = { ...ada, userAgent: userAgents.safariOnPhone, ipAddress: '2001:db8::7', provider: 'google' }
    await announceDevice(test.app, phone)
    await announceDevice(test.app, phone)
    expect(mails()).toHaveLength(1)
    const [mail] = mails()
    expect(mail).toMatchObject({ to: 'ada@example.test', subject: 'New sign-in from Safari on iOS (Fairway)' })
    expect(mail?.text).toMatch(/Safari on iOS/)
    expect(mail?.text).toMatch(/2001:db8::7/)
    expect(mail?.text).toMatch(/with Google/)
    expect(mail?.text).toMatch(/\d{1,2} \w+ \d{4}.*UTC/)
    expect(mail?.text).toContain(`${test.app.config.baseUrl}/settings/security#devices`)
    expect(await knownDevices()).toEqual([
      ['ada', 'Firefox on Linux'],
      ['ada', 'Safari on iOS'],
    ])
  })

  it('show times in the zone of the browser that signed in before, never in that of a new device', async () => {
    const insert = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values ('ada', 'A', ?, 1, 'person', 0, 0)`
    await query(test.app, insert, [ada.email])
    await announceDevice(test.app, { ...ada, timeZone: 'Asia/Tokyo' })
    const stranger = { ...ada, userAgent: userAgents.safariOnPhone, timeZone: 'America/New_York' }
    await announceDevice(test.app, stranger)
    expect(mails()[0]?.text).toMatch(/When: \d{1,2} \w+ \d{4} at \d\d:\d\d GMT\+9\n/)
  })

  it('use the chosen language, or else the language of the first sign-in', async () => {
    const insert = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, 'A', ?, 1, 'person', 0, 0)`
    for (const name of ['ada', 'grace']) await query(test.app, insert, [name, `${name}@example.test`])
    const grace = { ...ada, userId: 'grace', email: 'grace@example.test' }
    await rememberLanguage(test.app, 'ada', 'ar')
    for (const person of [ada, grace]) {
      await announceDevice(test.app, { ...person, language: 'de' })
      await announceDevice(test.app, { ...person, language: 'en', userAgent: userAgents.safariOnPhone })
    }
    const [toGrace, toAda] = mails().toSorted((a, b) => b.to.localeCompare(a.to))
    expect(toAda).toMatchObject({
      subject: 'تسجيل دخول جديد من Safari على iOS (Fairway)',
      text: expect.stringContaining('Safari على iOS'),
    })
    expect(toAda?.html).toContain('<html lang="ar" dir="rtl">')
    expect(toGrace?.text).toMatch(/Gerät: Safari unter iOS.*Wie: mit Passwort/s)
    expect(toGrace?.text).toMatch(/\d{1,2}\. \w+ \d{4}.*UTC/)
    tellOwner(test.app, 'grace', 'passkey-added')
    await backgroundDone(test.app)
    expect(mails().map(({ subject }) => subject)).toContain('Ihrem Konto wurde ein Passkey hinzugefügt (Fairway)')
  })

  it('count the devices of each account separately', async () => {
    await announceDevice(test.app, ada)
    await announceDevice(test.app, { ...ada, userId: 'grace', userAgent: userAgents.safariOnPhone })
    await expect(async () => mails()).rejects.toThrow()
  })

  it('are sent once for twenty concurrent sign-ins from one new device', async () => {
    await announceDevice(test.app, ada)
    const slow = withLatency(test.app)
    const phone = { ...ada, userAgent: userAgents.safariOnPhone }
    await Promise.all(Array.from({ length: 20 }, () => announceDevice(slow, phone)))
    expect(mails()).toHaveLength(1)
  })

  it('store no devices of the development account', async () => {
    afterSignIn(test.app, { ...ada, provider: 'dev' })
    afterSignIn(test.app, { ...ada, email: 'dev@local.test' })
    await backgroundDone(test.app)
    expect(await knownDevices()).toEqual([])
  })

  it('are retried when the mail server refuses, and logged without the address', async () => {
    const smtp = await startSmtp({ refuses: 'for-now' })
    const refused = await createTestApp({ SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' })
    for (const userAgent of [userAgents.firefoxOnLinux, userAgents.safariOnPhone]) {
      afterSignIn(refused.app, { ...ada, userAgent })
      await backgroundDone(refused.app)
    }
    expect(await runDueJobs(refused.app, [{ name: 'fw-send-mail', job: sendMailJob }])).toMatchObject([
      { state: 'scheduled', error: expect.any(String) },
    ])
    expect(refused.lines().map(line => line.message)).toContain('a job is tried again')
    expect(JSON.stringify(refused.lines())).not.toContain(ada.email)
    await refused.close()
    await smtp.stop()
  })

  it('tell the owner about changed sign-in methods, except for the development account', async () => {
    const insert = `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, 'A', ?, 1, ?, 0, 0)`
    await query(test.app, insert, ['u1', 'owner@example.test', 'person'])
    await query(test.app, insert, ['u2', 'dev@local.test', 'dev'])
    for (const userId of ['u1', 'u2']) tellOwner(test.app, userId, 'passkey-added')
    tellOwner(test.app, 'u1', 'two-factor-off')
    await backgroundDone(test.app)
    expect(
      mails()
        .map(({ to, subject }) => [to, subject])
        .toSorted(),
    ).toEqual([
      ['owner@example.test', 'A passkey was added to your account (Fairway)'],
      ['owner@example.test', 'Two-factor authentication was turned off for your account (Fairway)'],
    ])
  })

  it('store devices even when no mail can be sent, so that they are known later', async () => {
    const mute = await createTestApp({
      NODE_ENV: 'production',
      FW_BASE_URL: 'https://app.example.test',
    })
    expect(mute.app.mailer.isReady).toBe(false)
    for (const userAgent of [userAgents.firefoxOnLinux, userAgents.safariOnPhone]) {
      await announceDevice(mute.app, { ...ada, userAgent })
    }
    const rows = await query(mute.app, 'select device from known_devices')
    expect(rows).toHaveLength(2)
    await mute.close()
  })
})
