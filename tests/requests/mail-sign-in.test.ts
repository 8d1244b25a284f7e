import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { countRows, query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'

const PASSWORD = 'zebra quilt 7 lantern'
const OTHER = 'copper meadow 19 violin'
let smtp: Awaited<ReturnType<typeof startSmtp>>
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtp()
  server = await borrowServer({
    env: { NODE_ENV: 'production', SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' },
  })
})
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

const open = () => createBrowser(server.origin)
const pathOf = (link: string) => new URL(link).pathname + new URL(link).search
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const press = (browser: TestBrowser, link: string, more: Record<string, string> = {}) =>
  browser.post('/_fw/auth/link', { form: { token: tokenOf(link), where: 'here', ...more } })

async function askForLink(browser: TestBrowser, email: string, back = '/notes?a=1') {
  const answer = await browser.post(`/sign-in?return=${encodeURIComponent(back)}`, {
    form: { intent: 'magic-link', email },
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    `/sign-in?${new URLSearchParams({ return: back, step: 'check-mail' })}`,
  ])
  return (await smtp.mailTo(email, /Sign in/)).link
}

describe('Magic link', () => {
  it('has a page in the language of the browser', async () => {
    const headers = { 'accept-language': 'de-AT,de;q=0.9' }
    const page = await (await open().get('/_fw/auth/link?token=nothing', { headers })).text()
    expect(page).toMatch(/<html lang="de">.*Dieser Link funktioniert nicht/s)
  })

  it('signs in with a click on its page, creates the account and continues to the return path', async () => {
    const browser = open()
    const link = await askForLink(browser, 'Ada@Example.test')
    expect(link).toMatch(`${server.origin}/_fw/auth/link?token=`)
    const page = await browser.get(pathOf(link))
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
    expect(await page.text()).toContain('You are signing in as ada@example.test.')
    const answer = await press(browser, link)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/notes?a=1'])
    expect(await sessionOf(browser)).toMatchObject({
      email: 'ada@example.test',
      name: 'ada',
      emailVerified: true,
      provider: 'magic-link',
    })
  })

  it('survives scanners that open it, and works once for concurrent requests', async () => {
    const link = await askForLink(open(), 'scan@example.test')
    for (const method of ['GET', 'HEAD', 'GET']) {
      expect((await open().request(pathOf(link), { method })).status).toBe(200)
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => press(open(), link)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array.from({ length: 19 }, () => 410)])
    const sessions = 'sessions s join users u on u.id = s.user_id where u.email = ?'
    expect(await countRows(server, sessions, ['scan@example.test'])).toBe(1)
    const again = await open().get(pathOf(link))
    expect(again.status).toBe(410)
    expect(await again.text()).toMatch(/has already been used.*href="\/sign-in"/s)
  })

  it('expires after ten minutes, is stored hashed, and only the newest three work', async () => {
    const browser = open()
    const links: string[] = []
    for (let index = 0; index < 4; index++) {
      await browser.post('/_fw/auth/sign-in/magic-link', { json: { email: 'many@example.test' } })
      await expect.poll(() => smtp.received.filter(({ to }) => to.includes('many@example.test')).length).toBe(index + 1)
      links.push((await smtp.mailTo('many@example.test')).link)
    }
    const pages = await Promise.all(links.map(async link => (await browser.get(pathOf(link))).status))
    expect(pages).toEqual([410, 200, 200, 200])
    const rows = await query(server, 'select * from fw_one_time where subject = ? order by created_at', [
      'many@example.test',
    ])
    // The fourth link ended the first.
    const lives = rows.map(({ expires_at, created_at }) => Number(expires_at) - Number(created_at))
    expect(lives).toEqual([expect.any(Number), 600_000, 600_000, 600_000])
    for (const link of links) expect(JSON.stringify(rows)).not.toContain(tokenOf(link))
    await query(server, 'update fw_one_time set expires_at = ? where subject = ?', [
      Date.now() - 1,
      'many@example.test',
    ])
    const late = await press(browser, links[3]!)
    expect(late.status).toBe(410)
    expect(await late.text()).toContain('This link has expired')
    expect(await sessionOf(browser)).toBeNull()
  })

  it.each([
    ['app', '/mcp/oauth/authorize?client_id=x&state=y'],
    ['device', '/device?user_code=BCDF-GHJK'],
  ])('does not continue the authorization of a connecting %s in another browser', async (what, back) => {
    const asking = open()
    const elsewhere = await press(open(), await askForLink(asking, `${what}-connects@example.test`, back))
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([303, '/'])
    const here = await press(asking, await askForLink(asking, `${what}-connects-here@example.test`, back))
    expect([here.status, here.headers.get('location')]).toEqual([303, back])
  })

  it('does not continue the authorization in another browser with two-factor authentication', async () => {
    const back = '/mcp/oauth/authorize?client_id=x'
    const email = 'connects-too@example.test'
    const id = 'the-one-who-connects-too'
    await query(
      server,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, 'C', ?, 1, 'person', 1, 1)`,
      [id, email],
    )
    await query(
      server,
      `insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, 'x', 1, 0, 1)`,
      [id],
    )
    const answer = await press(open(), await askForLink(open(), email, back))
    expect(answer.headers.get('location')).toBe('/sign-in?step=code&return=%2F')
  })

  it('signs in the waiting browser when opened and confirmed for it on another device', async () => {
    const laptop = open()
    const link = await askForLink(laptop, 'two@example.test', '/settings')
    expect(await (await laptop.post('/_fw/auth/waiting', { json: {} })).json()).toEqual({ status: 'waiting' })
    const phone = open()
    const page = await (await phone.get(pathOf(link), { headers: { 'user-agent': 'phone' } })).text()
    expect(page).toContain('Requested at')
    expect(page).toContain('value="there"')
    expect(await (await laptop.get(pathOf(link))).text()).not.toContain('value="there"')
    const done = await press(phone, link, { where: 'there' })
    expect([done.status, done.headers.get('set-cookie')]).toEqual([200, null])
    expect(await done.text()).toContain('continues automatically')
    expect(await sessionOf(phone)).toBeNull()
    const stranger = open()
    expect(await (await stranger.post('/_fw/auth/waiting', { json: {} })).json()).toEqual({ status: 'ended' })
    const goOn = await laptop.post('/_fw/auth/waiting', { json: {} })
    expect(await goOn.json()).toEqual({ status: 'signed-in', location: '/settings' })
    expect(await sessionOf(laptop)).toMatchObject({ email: 'two@example.test' })
  })

  it('is replaced by a new link to the same address after use, and this browser waits for it', async () => {
    const [laptop, phone] = [open(), open()]
    const link = await askForLink(laptop, 'anew@example.test', '/settings')
    await press(laptop, link)
    const used = await phone.get(pathOf(link))
    expect([used.status, await used.text()]).toEqual([410, expect.stringContaining('has already been used')])
    const token = new URL(link).searchParams.get('token') ?? ''
    const asked = await phone.post('/_fw/auth/link', { form: { token, again: '1' } })
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      '/sign-in?step=check-mail&return=%2Fsettings&lang=en',
    ])
    expect(await (await phone.get('/sign-in?step=check-mail')).text()).toContain(
      'a link and a code to anew@example.test',
    )
    await expect.poll(() => smtp.received.filter(({ to }) => to.includes('anew@example.test')).length).toBe(2)
    const unknown = await open().post('/_fw/auth/link', { form: { token: 'x'.repeat(43), again: '1' } })
    expect(unknown.status).toBe(404)
  })

  it('signs in by the code of the email on the waiting page, without JavaScript', async () => {
    const laptop = open()
    await askForLink(laptop, 'code@example.test', '/team')
    const { text, html } = await smtp.mailTo('code@example.test')
    const [, code = ''] = /requested this email:\s+(\d{6})\s/.exec(text) ?? []
    expect(html).toContain(`>${code}<`)
    const waiting = '/sign-in?return=%2Fteam&step=check-mail'
    const page = await (await laptop.get(waiting)).text()
    expect(page).toMatch(/a link and a code to code@example\.test.*name="code"/s)
    const typed = (value: string) => laptop.post(waiting, { form: { intent: 'mailed-code', code: value } })
    const wrong = await typed(code === '000000' ? '000001' : '000000')
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringMatching(/code is wrong.*name="code"/s)])
    const right = await typed(` ${code.slice(0, 3)} ${code.slice(3)}`)
    expect([right.status, right.headers.get('location')]).toEqual([303, '/team'])
    expect(await sessionOf(laptop)).toMatchObject({ email: 'code@example.test', provider: 'magic-link' })
    expect(await (await typed(code)).text()).toContain('This page has expired')
  })

  it('supports continuing and resending on the waiting page without JavaScript', async () => {
    const laptop = open()
    const link = await askForLink(laptop, 'plain@example.test', '/team')
    const waiting = '/sign-in?return=%2Fteam&step=check-mail'
    const early = await laptop.post(waiting, { form: { intent: 'continue' } })
    expect(await early.text()).toContain('haven’t opened the link yet')
    await press(open(), link, { where: 'there' })
    const late = await laptop.post(waiting, { form: { intent: 'continue' } })
    expect([late.status, late.headers.get('location')]).toEqual([303, '/team'])
    const other = open()
    await askForLink(other, 'again@example.test')
    const again = await other.post(waiting, { form: { intent: 'resend' } })
    expect(await again.text()).toContain('We sent another email')
    await expect.poll(() => smtp.received.filter(({ to }) => to.includes('again@example.test')).length).toBe(2)
  })

  it.each([
    'a@x.test,b@y.test',
    'a@example.test\r\nBcc: b@example.test',
    `${'a'.repeat(250)}@example.test`,
    'not an address',
    'a\u0000@example.test',
  ])('returns 400 for %j and sends no email', async email => {
    // A mail is sent by a job, so it could arrive after this test.
    const jobs = () => countRows(server, `fw_jobs where name = 'fw-send-mail'`)
    const before = await jobs()
    const answer = await open().post('/_fw/auth/sign-in/magic-link', { json: { email } })
    expect(await statusAndCode(answer)).toEqual([400, 'invalid-input'])
    expect(await jobs()).toBe(before)
  })
})

describe('Password account that must be confirmed', () => {
  const person = { email: 'new@example.test', password: PASSWORD, name: 'New' }

  it('allows sign-in only after the link is opened, and the link signs no other browser in', async () => {
    const laptop = open()
    const made = await laptop.post('/_fw/auth/sign-up/email', { json: { ...person, callbackURL: '/notes' } })
    expect([made.status, await made.json()]).toEqual([200, { status: true, verification: 'sent' }])
    expect(await sessionOf(laptop)).toBeNull()
    const stranger = open()
    const early = await stranger.post('/_fw/auth/sign-in/email', { json: person })
    expect(await statusAndCode(early)).toEqual([403, 'email-not-verified'])
    expect(
      await statusAndCode(await open().post('/_fw/auth/sign-in/email', { json: { ...person, password: OTHER } })),
    ).toEqual([401, 'invalid-credentials'])
    const { link } = await smtp.mailTo(person.email, /Confirm/)
    const phone = open()
    expect((await press(phone, link)).status).toBe(200)
    expect(await sessionOf(phone)).toBeNull()
    expect(await sessionOf(stranger)).toBeNull()
    const signedIn = await stranger.post('/_fw/auth/sign-in/email', { json: person })
    expect(signedIn.status).toBe(200)
    expect(await sessionOf(stranger)).toMatchObject({ emailVerified: true, name: 'New', provider: 'password' })
  })

  it('is signed in immediately when the link is opened in the same browser', async () => {
    const browser = open()
    const form = { intent: 'sign-up', name: 'Same', email: 'same@example.test', password: PASSWORD }
    const answer = await browser.post('/sign-in?return=%2Fnotes', { form })
    expect(answer.headers.get('location')).toBe('/sign-in?return=%2Fnotes&step=check-mail')
    const { link } = await smtp.mailTo('same@example.test', /Confirm/)
    const done = await press(browser, link)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email: 'same@example.test', emailVerified: true })
  })

  it('requires a new password when the link was requested by a browser that did not sign up', async () => {
    const stranger = open()
    const email = 'planted@example.test'
    await stranger.post('/_fw/auth/sign-up/email', { json: { email, password: OTHER, name: 'Planted' } })
    await smtp.mailTo(email, /Confirm/)
    const owner = open()
    await owner.post('/_fw/auth/send-verification-email', { json: { email } })
    await expect.poll(() => smtp.received.filter(({ to }) => to.includes(email)).length).toBe(2)
    const { link } = await smtp.mailTo(email, /Confirm/)
    expect(await (await owner.get(pathOf(link))).text()).toContain('autocomplete="new-password"')
    expect((await press(owner, link)).status).toBe(400)
    expect((await press(owner, link, { newPassword: PASSWORD })).status).toBe(303)
    expect(await sessionOf(owner)).toMatchObject({ email, emailVerified: true })
    const tries = await Promise.all(
      [OTHER, PASSWORD].map(
        async password => (await open().post('/_fw/auth/sign-in/email', { json: { email, password } })).status,
      ),
    )
    expect(tries).toEqual([401, 200])
    expect(await (await stranger.post('/_fw/auth/waiting', { json: {} })).json()).toEqual({ status: 'ended' })
  })

  it('returns the same response for an address with an account and notifies its owner', async () => {
    const known = open()
    await press(known, await askForLink(known, 'known@example.test'))
    const answers = await Promise.all(
      ['known@example.test', 'unknown@example.test'].map(async email => {
        const answer = await open().post('/_fw/auth/sign-up/email', { json: { ...person, email } })
        return {
          status: answer.status,
          body: await answer.json(),
          cookie: /^fw\.pending=[\w-]{43};/.test(answer.headers.get('set-cookie') ?? ''),
        }
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect((await smtp.mailTo('known@example.test', /already have/)).text).toContain('it already has one')
    const json = { email: 'known@example.test', password: PASSWORD }
    expect(await statusAndCode(await open().post('/_fw/auth/sign-in/email', { json }))).toEqual([
      401,
      'invalid-credentials',
    ])
  })

  it('gets the password of the sign-up whose link was opened, not of the first one', async () => {
    const squatter = open()
    const owner = open()
    const email = 'race@example.test'
    await squatter.post('/_fw/auth/sign-up/email', { json: { email, password: OTHER, name: 'Squatter' } })
    await smtp.mailTo(email, /Confirm/)
    await owner.post('/_fw/auth/sign-up/email', { json: { email, password: PASSWORD, name: 'Owner' } })
    await expect.poll(() => smtp.received.filter(({ to }) => to.includes(email)).length).toBe(2)
    await press(owner, (await smtp.mailTo(email, /Confirm/)).link)
    expect(await sessionOf(owner)).toMatchObject({ name: 'Owner', emailVerified: true })
    const tries = await Promise.all(
      [OTHER, PASSWORD].map(
        async password => (await open().post('/_fw/auth/sign-in/email', { json: { email, password } })).status,
      ),
    )
    expect(tries).toEqual([401, 200])
    expect(await (await squatter.post('/_fw/auth/waiting', { json: {} })).json()).toEqual({ status: 'ended' })
  })

  it('sends the email again after an early sign-in, which continues once the address is confirmed', async () => {
    const browser = open()
    const email = 'early@example.test'
    await open().post('/_fw/auth/sign-up/email', { json: { email, password: PASSWORD, name: 'Early' } })
    await smtp.mailTo(email, /Confirm/)
    const form = { intent: 'sign-in', email, password: PASSWORD }
    const answer = await browser.post('/sign-in?return=%2Fteam', { form })
    expect(answer.headers.get('location')).toBe('/sign-in?return=%2Fteam&step=check-mail')
    await expect.poll(() => smtp.received.filter(({ to }) => to.includes(email)).length).toBe(2)
    await press(open(), (await smtp.mailTo(email)).link)
    const goOn = await browser.post('/_fw/auth/waiting', { json: {} })
    expect(await goOn.json()).toEqual({ status: 'signed-in', location: '/team' })
  })
})

describe('Password reset', () => {
  it('replaces the password once, ends all sessions and signs this browser in', async () => {
    const browser = open()
    const email = 'forgot@example.test'
    await press(browser, await askForLink(browser, email))
    const other = open()
    const asked = await other.post('/sign-in', { form: { intent: 'reset', email } })
    expect(asked.headers.get('location')).toContain('step=check-mail')
    const { link } = await smtp.mailTo(email, /new password/)
    expect(await (await other.get(pathOf(link))).text()).toContain('autocomplete="new-password"')
    const weak = await press(other, link, { newPassword: 'short' })
    expect([weak.status, await weak.text()]).toEqual([400, expect.stringContaining('password-too-short')])
    const done = await press(other, link, { newPassword: OTHER })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/'])
    expect(await sessionOf(other)).toMatchObject({ email, emailVerified: true })
    expect(await sessionOf(browser)).toBeNull()
    expect((await press(open(), link, { newPassword: PASSWORD })).status).toBe(410)
    const json = { email, password: OTHER }
    expect((await open().post('/_fw/auth/sign-in/email', { json })).status).toBe(200)
    expect((await smtp.mailTo(email, /was changed/)).text).toContain(
      'The password of your account at Fairway was changed.',
    )
  })

  it('returns the same response for unknown addresses and emails that there is no account', async () => {
    const answers = await Promise.all(
      ['forgot@example.test', 'nobody@example.test'].map(async email => {
        const answer = await open().post('/_fw/auth/request-password-reset', { json: { email } })
        return [answer.status, await answer.text()]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect((await smtp.mailTo('nobody@example.test')).subject).toContain('No account')
    expect(await countRows(server, 'users where email = ?', ['nobody@example.test'])).toBe(0)
  })

  it('signs in without setting the password when a magic link is used', async () => {
    const browser = open()
    const link = await askForLink(browser, 'mix@example.test')
    const answer = await browser.post('/_fw/auth/reset-password', {
      json: { token: tokenOf(link), newPassword: OTHER },
    })
    expect((await answer.json()).signedIn).toBe(true)
    const tried = await open().post('/_fw/auth/sign-in/email', { json: { email: 'mix@example.test', password: OTHER } })
    expect(tried.status).toBe(401)
    expect(
      await statusAndCode(await open().post('/_fw/auth/magic-link/verify', { json: { token: 'x'.repeat(43) } })),
    ).toEqual([404, 'link-unknown'])
  })
})

describe('Sign-in settings', () => {
  const mail = () => ({ SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' })
  const cases: { name: string; env: () => Record<string, string>; sections: string[]; signUp: unknown }[] = [
    {
      name: 'production with mail',
      env: () => ({ NODE_ENV: 'production', ...mail() }),
      sections: ['sign-in', 'sign-up', 'sign-up-password', 'reset', 'magic-link'],
      signUp: [200, 'sent'],
    },
    {
      name: 'production without mail',
      env: () => ({ NODE_ENV: 'production' }),
      sections: ['sign-up', 'sign-in'],
      signUp: [200, undefined],
    },
    {
      name: 'AUTH_REQUIRE_EMAIL_VERIFICATION=0',
      env: () => ({ NODE_ENV: 'production', ...mail(), AUTH_REQUIRE_EMAIL_VERIFICATION: '0' }),
      sections: ['sign-in', 'sign-up', 'sign-up-password', 'reset', 'magic-link'],
      signUp: [200, undefined],
    },
    {
      name: 'AUTH_REQUIRE_EMAIL_VERIFICATION=1 without mail',
      env: () => ({ NODE_ENV: 'production', AUTH_REQUIRE_EMAIL_VERIFICATION: '1' }),
      sections: ['sign-in'],
      signUp: [403, 'sign-up-disabled'],
    },
    ...['development', 'test'].map(NODE_ENV => ({
      name: `AUTH_REQUIRE_EMAIL_VERIFICATION=1 without a mail server in ${NODE_ENV}`,
      env: () => ({
        NODE_ENV,
        AUTH_REQUIRE_EMAIL_VERIFICATION: '1',
        AUTH_MAGIC_LINK: '1',
        FW_DISABLE_AUTO_DEV_ACCOUNT: '1',
      }),
      // The outbox accepts every other mail.
      sections: ['sign-in', 'sign-up', 'reset', 'magic-link'],
      signUp: [403, 'sign-up-disabled'],
    })),
  ]

  it.each(cases)(
    'shows the matching sections and opens the matching endpoints with $name',
    async ({ env, sections, signUp: wanted }) => {
      const one = await borrowServer({ env: env() })
      try {
        const browser = createBrowser(one.origin)
        const page = await (await browser.get('/sign-in')).text()
        const shown = [...page.matchAll(/<section class="[\w-]+" id="([\w-]+)"/g)].map(match => match[1])
        expect(shown).toEqual(sections)
        expect(page).toContain(`<section class="switch-default" id="${sections.at(-1)}"`)
        const json = { email: 'who@example.test', password: PASSWORD, name: 'Who' }
        const made = await browser.post('/_fw/auth/sign-up/email', { json })
        const body = await made.json()
        expect([made.status, body.verification ?? body.code]).toEqual(wanted)
        const form = { intent: 'sign-up', email: 'else@example.test', password: PASSWORD, name: 'Who' }
        const posted = await createBrowser(one.origin).post('/sign-in', { form })
        expect(posted.status).toBe(made.ok ? 303 : 403)
        const linked = await browser.post('/_fw/auth/sign-in/magic-link', { json: { email: 'who@example.test' } })
        expect(linked.status).toBe(sections.includes('magic-link') ? 200 : 403)
        if (!sections.includes('reset')) {
          const reset = await browser.post('/_fw/auth/request-password-reset', { json: { email: 'who@example.test' } })
          expect(await statusAndCode(reset)).toEqual([503, 'mail-unavailable'])
        }
      } finally {
        await one.stop()
      }
    },
  )
})

it('returns 429 after five emails of a kind to one address', async () => {
  const one = await borrowServer({
    env: {
      NODE_ENV: 'production',
      SMTP_URL: smtp.url,
      EMAIL_FROM: 'no-reply@example.test',
      FW_RATE_LIMITS: 'on',
      FW_TRUSTED_PROXIES: '127.0.0.1,0:0:0:0:0:0:0:1',
    },
  })
  const browser = createBrowser(one.origin)
  for (const path of ['sign-in/magic-link', 'request-password-reset']) {
    const statuses: number[] = []
    for (let index = 0; index < 6; index++) {
      const headers = { 'x-forwarded-for': `192.0.2.${index}` }
      const json = { email: 'Limit@example.test' }
      statuses.push((await browser.post(`/_fw/auth/${path}`, { json, headers })).status)
    }
    expect([path, statuses]).toEqual([path, [200, 200, 200, 200, 200, 429]])
  }
  await one.stop()
})
