import { describe, expect, it } from 'vitest'
import { createAuthenticator, currentCodes, waitForEarlyStep, wrongCode } from '../support/authenticator'
import { codeOf } from '../support/error-code'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { query } from '../support/query'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'

const PATH = '/_fw/two-factor'
const SIGN_IN = '/_fw/auth/sign-in/email'
const CODE = '/_fw/auth/two-factor'
const password = 'zebra quilt 7 lantern'

const server = useServer()
let count = 0

const stateOf = async (browser: TestBrowser) => (await browser.get(PATH)).json()

async function aPerson(on = server) {
  const browser = createBrowser(on.origin)
  const email = `person${++count}@example.test`
  await signUp(browser, { email, password, name: 'Person' })
  return { browser, email }
}

/** A person with two-factor authentication. The setup uses the code of the last time step. */
async function aCarefulPerson(on = server) {
  await waitForEarlyStep()
  const { browser, email } = await aPerson(on)
  const { secret } = await (await browser.post(PATH, { json: { password } })).json()
  const answer = await browser.request(PATH, { method: 'PUT', json: { code: currentCodes(secret)[0] } })
  if (!answer.ok) throw new Error(await answer.text())
  const { backupCodes } = await answer.json()
  return { browser, email, secret: secret as string, backupCodes: backupCodes as string[] }
}

async function withPassword(email: string, on = server): Promise<TestBrowser> {
  const browser = createBrowser(on.origin)
  const answer = await browser.post(SIGN_IN, { json: { email, password } })
  if (answer.status !== 403) throw new Error(await answer.text())
  return browser
}

describe('two-factor authentication with an emailed link', () => {
  it('requires the code in this browser, in a waiting browser and after a password reset', async () => {
    const smtp = await startSmtp()
    const mailing = await borrowServer({ env: { SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' } })
    const { email, secret } = await aCarefulPerson(mailing)
    await query(mailing, 'update users set email_verified = 1 where email = ?', [email])
    const ask = async (browser: TestBrowser) => {
      const links = () => smtp.received.filter(({ data }) => /^Subject: Sign in/m.test(data)).length
      const before = links()
      await browser.post('/sign-in?return=%2Fnotes', { form: { intent: 'magic-link', email } })
      await expect.poll(links).toBe(before + 1)
      return new URL((await smtp.mailTo(email, /Sign in/)).link).searchParams.get('token') ?? ''
    }
    const browser = createBrowser(mailing.origin)
    const token = await ask(browser)
    const opened = await browser.post('/_fw/auth/link', { form: { token, where: 'here' } })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/sign-in?step=code&return=%2Fnotes'])
    expect(await sessionOf(browser)).toBeNull()
    expect(await (await browser.get('/sign-in?step=code&return=%2Fnotes')).text()).toContain('one-time-code')
    const form = { intent: 'second-factor', code: currentCodes(secret)[1] }
    const done = await browser.post('/sign-in?step=code&return=%2Fnotes', { form })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email, provider: 'magic-link' })

    const laptop = createBrowser(mailing.origin)
    const second = await ask(laptop)
    await createBrowser(mailing.origin).post('/_fw/auth/link', { form: { token: second, where: 'there' } })
    const goOn = await laptop.post('/_fw/auth/waiting', { json: {} })
    expect([goOn.status, await codeOf(goOn)]).toEqual([403, 'second-factor-required'])
    expect(await sessionOf(laptop)).toBeNull()
    expect((await laptop.post(CODE, { json: { code: currentCodes(secret)[2] } })).status).toBe(200)
    expect(await sessionOf(laptop)).toMatchObject({ email, provider: 'magic-link' })

    const forgetful = createBrowser(mailing.origin)
    await forgetful.post('/_fw/auth/request-password-reset', { json: { email } })
    const reset = new URL((await smtp.mailTo(email, /new password/)).link).searchParams.get('token') ?? ''
    const json = { token: reset, newPassword: 'copper meadow 19 violin' }
    expect(await codeOf(await forgetful.post('/_fw/auth/reset-password', { json }))).toBe('second-factor-required')
    expect(await sessionOf(forgetful)).toBeNull()
    await mailing.stop()
    await smtp.stop()
  })
})

describe('two-factor setup', () => {
  it('requires the password and changes nothing before the first code', async () => {
    const { browser, email } = await aPerson()
    const wrong = await browser.post(PATH, { json: { password: 'not my password' } })
    expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'invalid-credentials'])
    const { uri, secret, qr } = await (await browser.post(PATH, { json: { password } })).json()
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(
      `otpauth://totp/Fairway%3A${encodeURIComponent(email)}?secret=${secret}&issuer=Fairway&algorithm=SHA1&digits=6&period=30`,
    )
    expect(qr).toMatch(/^<svg /)
    expect(await stateOf(browser)).toEqual({
      active: false,
      activeSince: null,
      backupCodesLeft: 0,
      hasPassword: true,
      minPasswordLength: 12,
    })
    const again = createBrowser(server.origin)
    expect((await again.post(SIGN_IN, { json: { email, password } })).status).toBe(200)
    const bad = await browser.request(PATH, { method: 'PUT', json: { code: wrongCode(secret) } })
    expect([bad.status, await codeOf(bad)]).toEqual([401, 'invalid-code'])
  })

  it('returns ten backup codes once and does not store them or the secret in readable form', async () => {
    const { browser, secret, backupCodes } = await aCarefulPerson()
    expect(new Set(backupCodes).size).toBe(10)
    expect(backupCodes.every(code => /^[a-z2-7]{5}-[a-z2-7]{5}$/.test(code))).toBe(true)
    expect(await stateOf(browser)).toMatchObject({ active: true, backupCodesLeft: 10 })
    const stored = JSON.stringify([
      await query(server, 'select * from two_factor'),
      await query(server, 'select * from two_factor_backup_codes'),
    ])
    for (const text of [secret, ...backupCodes, ...backupCodes.map(code => code.replace('-', ''))])
      expect(stored).not.toContain(text)
    const again = await browser.post(PATH, { json: { password } })
    expect([again.status, await codeOf(again)]).toEqual([409, 'two-factor-active'])
    const twice = await browser.request(PATH, { method: 'PUT', json: { code: currentCodes(secret)[1] } })
    expect(await codeOf(twice)).toBe('two-factor-active')
  })

  it('succeeds for one of four simultaneous requests, whose backup codes are valid', async () => {
    await waitForEarlyStep()
    const { browser, email } = await aPerson()
    const { secret } = await (await browser.post(PATH, { json: { password } })).json()
    const code = currentCodes(secret)[0]
    const put = () => browser.request(PATH, { method: 'PUT', json: { code } })
    const answers = await Promise.all([put(), put(), put(), put()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    const winner = answers.find(({ ok }) => ok)
    const { backupCodes } = await winner!.json()
    const other = await withPassword(email)
    expect((await other.post(CODE, { json: { code: backupCodes[0] } })).status).toBe(200)
  })

  it('is not available to people without a password', async () => {
    const { browser, email } = await aPerson()
    await query(server, `delete from accounts where user_id = (select id from users where email = ?)`, [email])
    expect(await stateOf(browser)).toMatchObject({ hasPassword: false })
    expect(await codeOf(await browser.post(PATH, { json: { password } }))).toBe('no-password')
  })
})

describe('sign-in with a password and a code', () => {
  it('creates no session before the code is correct', async () => {
    const { email, secret } = await aCarefulPerson()
    const before = await query(server, 'select id from sessions')
    const browser = createBrowser(server.origin)
    const first = await browser.post(SIGN_IN, { json: { email, password } })
    expect([first.status, await codeOf(first)]).toEqual([403, 'second-factor-required'])
    expect(first.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^fw\.second_factor=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ])
    expect(await query(server, 'select id from sessions')).toHaveLength(before.length)
    expect(await sessionOf(browser)).toBeNull()
    const second = await browser.post(CODE, { json: { code: ` ${currentCodes(secret)[1].replace(/^.../, '$& ')} ` } })
    expect([second.status, await second.json()]).toEqual([200, { success: true }])
    expect(await sessionOf(browser)).toMatchObject({ email, provider: 'password' })
    expect(browser.cookieHeader()).not.toContain('second_factor')
    expect((await browser.post(CODE, { json: { code: currentCodes(secret)[2] } })).status).toBe(410)
  })

  it('reveals nothing about the second factor without the password', async () => {
    const { email } = await aCarefulPerson()
    const answer = await createBrowser(server.origin).post(SIGN_IN, { json: { email, password: 'not the password' } })
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'invalid-credentials'])
  })

  it('accepts a code once, and no older code afterwards', async () => {
    const { email, secret } = await aCarefulPerson()
    const [last, current, next] = currentCodes(secret)
    expect((await (await withPassword(email)).post(CODE, { json: { code: current } })).status).toBe(200)
    const again = await withPassword(email)
    for (const code of [current, last]) {
      const answer = await again.post(CODE, { json: { code } })
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'invalid-code'])
    }
    expect((await again.post(CODE, { json: { code: next } })).status).toBe(200)
  })

  it('accepts one of six simultaneous requests with the same code', async () => {
    const { email, secret, backupCodes } = await aCarefulPerson()
    const [, code] = currentCodes(secret)
    for (const same of [code, backupCodes[3]]) {
      const browsers = await Promise.all(Array.from({ length: 6 }, () => withPassword(email)))
      const answers = await Promise.all(browsers.map(browser => browser.post(CODE, { json: { code: same } })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401])
    }
  })

  it('accepts each backup code once, with or without its hyphen', async () => {
    const { browser, email, backupCodes } = await aCarefulPerson()
    const [first = '', second = ''] = backupCodes
    expect((await (await withPassword(email)).post(CODE, { json: { code: first } })).status).toBe(200)
    const again = await withPassword(email)
    expect((await again.post(CODE, { json: { code: first } })).status).toBe(401)
    expect((await again.post(CODE, { json: { code: second.replace('-', ' ').toUpperCase() } })).status).toBe(200)
    expect(await stateOf(browser)).toMatchObject({ backupCodesLeft: 8 })
  })

  it('rejects a code of another person', async () => {
    const { email } = await aCarefulPerson()
    const other = await aCarefulPerson()
    const browser = await withPassword(email)
    for (const code of [currentCodes(other.secret)[1], other.backupCodes[0]])
      expect((await browser.post(CODE, { json: { code } })).status).toBe(401)
  })

  it('ends after five wrong codes, even when they arrive at once', async () => {
    const { email, secret } = await aCarefulPerson()
    const browser = await withPassword(email)
    const post = (code: string) => browser.post(CODE, { json: { code } })
    const answers = await Promise.all(Array.from({ length: 9 }, () => post(wrongCode(secret))))
    const codes = await Promise.all(answers.map(codeOf))
    expect(codes.filter(code => code === 'invalid-code')).toHaveLength(4)
    expect(codes.filter(code => code === 'second-factor-ended')).toHaveLength(5)
    expect((await post(currentCodes(secret)[1])).status).toBe(410)
    expect((await (await withPassword(email)).post(CODE, { json: { code: currentCodes(secret)[1] } })).status).toBe(200)
  })

  it('expires after ten minutes and works in one browser only', async () => {
    const { email, secret } = await aCarefulPerson()
    const browser = await withPassword(email)
    const [, code] = currentCodes(secret)
    const other = await createBrowser(server.origin).post(CODE, { json: { code } })
    expect([other.status, await codeOf(other)]).toEqual([410, 'second-factor-ended'])
    await query(server, "update fw_one_time set expires_at = ? where purpose = 'second-factor-sign-in'", [
      Date.now() - 1,
    ])
    expect((await browser.post(CODE, { json: { code } })).status).toBe(410)
  })

  it('returns 429 after ten wrong codes for one account, even with the right password', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const { email, secret } = await aCarefulPerson(limited)
    const statuses: number[] = []
    for (let index = 0; index < 12; index++) {
      const browser = await withPassword(email, limited)
      statuses.push((await browser.post(CODE, { json: { code: wrongCode(secret) } })).status)
    }
    const last = await (await withPassword(email, limited)).post(CODE, { json: { code: currentCodes(secret)[1] } })
    await limited.stop()
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
    expect(last.status).toBe(429)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(800)
  })

  it('requires no code when a person signs in with a passkey', async () => {
    const { browser, email } = await aCarefulPerson()
    const authenticator = createAuthenticator(server.origin)
    const options = await (await browser.post('/_fw/passkeys/registration', { json: {} })).json()
    const json = { response: authenticator.create(options) }
    expect((await browser.request('/_fw/passkeys/registration', { method: 'PUT', json })).status).toBe(201)
    const other = createBrowser(server.origin)
    const request = await (await other.post('/_fw/auth/passkey/options', { json: {} })).json()
    await other.post('/_fw/auth/passkey/verify', { json: { response: authenticator.get(request) } })
    expect(await sessionOf(other)).toMatchObject({ email, provider: 'passkey' })
  })
})

describe('sign-in with a code, without JavaScript', () => {
  const step = { intent: 'second-factor' }

  it('asks for the code on a separate page and redirects to the return path', async () => {
    const { email, secret } = await aCarefulPerson()
    const browser = createBrowser(server.origin)
    const form = { intent: 'sign-in', email, password }
    const page = await browser.post('/sign-in?return=%2Fnotes', { form })
    const html = await page.text()
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(html).toContain('autocomplete="one-time-code"')
    expect(html).not.toContain(password)
    expect(page.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
    const wrong = await browser.post('/sign-in?return=%2Fnotes', { form: { ...step, code: wrongCode(secret) } })
    expect(wrong.status).toBe(401)
    expect(await wrong.text()).toMatch(/invalid-code.*one-time-code/s)
    const answer = await browser.post('/sign-in?return=%2Fnotes', { form: { ...step, code: currentCodes(secret)[1] } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email })
  })

  it('shows the sign-in page in German when the sign-in has ended', async () => {
    const answer = await createBrowser(server.origin).post('/sign-in?lang=de', { form: { ...step, code: '123456' } })
    expect(answer.status).toBe(410)
    expect(await answer.text()).toMatch(
      /data-code="second-factor-ended">Diese Anmeldung ist abgelaufen.*autocomplete="current-password"/s,
    )
  })

  it('asks again when the code is empty', async () => {
    const { email } = await aCarefulPerson()
    const browser = await withPassword(email)
    const answer = await browser.post('/sign-in', { form: { ...step, code: ' ' } })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('autocomplete="one-time-code"')
  })
})

describe('two-factor settings', () => {
  it('replace the backup codes after the password is confirmed', async () => {
    const { browser, email, backupCodes } = await aCarefulPerson()
    const path = `${PATH}/backup-codes`
    expect((await browser.post(path, { json: { password: 'not my password' } })).status).toBe(401)
    const renewed = (await (await browser.post(path, { json: { password } })).json()).backupCodes
    const other = await withPassword(email)
    expect((await other.post(CODE, { json: { code: backupCodes[0] } })).status).toBe(401)
    expect((await other.post(CODE, { json: { code: renewed[0] } })).status).toBe(200)
  })

  it('switch two-factor off after the password is confirmed, and remove codes and waiting sign-ins', async () => {
    const { browser, email, secret, backupCodes } = await aCarefulPerson()
    const waiting = await withPassword(email)
    const wrong = await browser.request(PATH, { method: 'DELETE', json: { password: 'not my password' } })
    expect(wrong.status).toBe(401)
    expect((await browser.request(PATH, { method: 'DELETE', json: { password } })).status).toBe(204)
    for (const code of [currentCodes(secret)[1], backupCodes[0]])
      expect((await waiting.post(CODE, { json: { code } })).status).toBe(410)
    const other = createBrowser(server.origin)
    expect((await other.post(SIGN_IN, { json: { email, password } })).status).toBe(200)
    const none = await browser.post(`${PATH}/backup-codes`, { json: { password } })
    expect([none.status, await codeOf(none)]).toEqual([409, 'two-factor-inactive'])
  })
})
