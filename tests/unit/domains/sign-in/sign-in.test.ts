import { describe, expect, it } from 'vitest'
import { codeOf, statusAndCode } from '../../../support/error-code'
import { createBrowser, sessionOf, signUp } from '../../../support/http'
import { useServer } from '../../../support/use-server'

const password = 'zebra quilt 7 lantern'
const server = useServer()

const ada = { email: 'ada@example.test', password, name: 'Ada' }

describe('sign-in page', () => {
  it('is the same for every visitor and cacheable, with a strong ETag and 304', async () => {
    const stranger = createBrowser(server.origin)
    const member = createBrowser(server.origin)
    await signUp(member, { ...ada, email: 'page@example.test' })
    const first = await stranger.get('/sign-in?return=%2Fnotes')
    const second = await member.get('/sign-in?return=%2Fsettings')
    expect(first.status).toBe(200)
    expect(await first.text()).toBe(await second.text())
    expect(first.headers.get('set-cookie')).toBeNull()
    expect(first.headers.get('vary') ?? '').not.toMatch(/cookie/i)
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=0, s-maxage=600/)
    expect(first.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{20,}"$/)
    const again = await stranger.get('/sign-in', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  it.each([
    ['br', '-br"'],
    ['gzip', '-gz"'],
  ])('is compressed for clients that accept %s, from the first request on', async (encoding, mark) => {
    const stranger = createBrowser(server.origin)
    const plain = await stranger.get('/sign-in', { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const text = await plain.text()
    for (const path of ['/sign-in', '/sign-in', '/sign-in?return=%2Fnotes']) {
      const page = await stranger.get(path, { headers: { 'accept-encoding': encoding } })
      expect(page.headers.get('content-encoding')).toBe(encoding)
      expect(page.headers.get('vary')).toBe('Accept-Encoding')
      expect(page.headers.get('etag')?.endsWith(mark)).toBe(true)
      expect(Number(page.headers.get('content-length'))).toBeLessThan(text.length / 2)
      expect(await page.text()).toBe(text)
    }
  })

  it('hides the password and allows password managers and pasting', async () => {
    const page = await (await createBrowser(server.origin).get('/sign-in')).text()
    const fields = page.match(/<input[^>]*name="password"[^>]*>/g) ?? []
    expect(fields).not.toEqual([])
    for (const field of fields) {
      expect(field).toContain('type="password"')
      expect(field).toMatch(/autocomplete="(current|new)-password"/)
    }
    expect(page).not.toMatch(/onpaste|autocomplete="off"/i)
  })

  it('is right-to-left in Arabic and lists every language by its own name', async () => {
    const page = await (await createBrowser(server.origin).get('/sign-in?lang=ar')).text()
    expect(page).toMatch(/<html lang="ar" dir="rtl">.*تسجيل الدخول/s)
    for (const name of ['English', 'Deutsch', 'العربية']) expect(page).toContain(`>${name}<`)
  })

  it('offers a passkey for signing in, but not for signing up', async () => {
    const page = await (await createBrowser(server.origin).get('/sign-in')).text()
    // A script shows it where the browser can use passkeys.
    expect(page).toMatch(/<div class="proves" id="passkey" hidden/)
    expect(page).toMatch(/<input[^>]*id="email"[^>]*autocomplete="username webauthn"/)
    expect(page).toContain('body:has(#sign-up:target) .proves')
    expect(page.match(/class="or"/g)).toHaveLength(1)
  })

  it('keeps the input and shows the error next to the field', async () => {
    const form = { intent: 'sign-up', name: 'Ada', email: 'beside@example.test', password: 'short' }
    const answer = await createBrowser(server.origin).post('/sign-in', { form })
    const page = await answer.text()
    expect(answer.status).toBe(400)
    expect(page).toMatch(/id="new-email"[^>]*value="beside@example.test"/)
    expect(page).toMatch(
      /id="new-password"[^>]*aria-invalid="true"[^>]*aria-describedby="new-password-hint new-password-fault"/,
    )
    expect(page).toMatch(/id="new-password-fault" data-code="password-too-short">The password is too short/)
  })

  it('shows the error next to a field with NUL, and for a name that shows nothing', async () => {
    const nameIn = async (name: string) => {
      const form = { intent: 'sign-up', name, email: 'beside@example.test', password }
      const answer = await createBrowser(server.origin).post('/sign-in', { form })
      return [answer.status, /id="new-name-fault"[^>]*>([^<]*)/.exec(await answer.text())?.[1]]
    }
    expect(await nameIn('Ada\u0000')).toEqual([400, 'Remove the characters that cannot be stored.'])
    expect(await nameIn('\u200b')).toEqual([400, 'Enter a value.'])
  })

  it('has a list of sign-in methods that is the same for every visitor', async () => {
    const answer = await createBrowser(server.origin).get('/_fw/auth/methods')
    expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=0, s-maxage=600/)
    expect(await answer.json()).toEqual({
      elsewhere: null,
      magicLink: expect.any(Boolean),
      password: true,
      signUp: true,
      reset: expect.any(Boolean),
      passkey: true,
      providers: [],
    })
    expect((await createBrowser(server.origin).post('/_fw/auth/methods', { json: {} })).status).toBe(405)
  })

  it('is available in German', async () => {
    const page = await createBrowser(server.origin).get('/sign-in?lang=de')
    expect(await page.text()).toMatch(/<html lang="de">.*Anmelden/s)
  })

  it('changes the language and keeps the return path', async () => {
    const answer = await createBrowser(server.origin).post('/sign-in?return=%2Fnotes%3Fa%3D1', {
      form: { language: 'de' },
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/sign-in?return=%2Fnotes%3Fa%3D1&lang=de')
    expect(answer.headers.get('set-cookie')).toMatch(/^fw-language=de; Path=\/; SameSite=Lax/)
  })

  it('redirects from the old address with the same query', async () => {
    const answer = await createBrowser(server.origin).get('/_fw/sign-in?return=%2Fnotes%3Fx%3D1')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/sign-in?return=%2Fnotes%3Fx%3D1')
  })

  it('returns 405 with Allow for other methods', async () => {
    const answer = await createBrowser(server.origin).request('/sign-in', { method: 'PUT' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})

describe('sign-in by form, without JavaScript', () => {
  it('creates an account, signs in and redirects to the return path', async () => {
    const browser = createBrowser(server.origin)
    const form = { intent: 'sign-up', name: 'Grace', email: ' Grace@Example.test ', password }
    const answer = await browser.post('/sign-in?return=%2Fnotes%3Fa%3D1%23x', { form })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/notes?a=1#x')
    const { session } = await (await browser.get('/_fw/session')).json()
    expect(session).toMatchObject({
      email: 'grace@example.test',
      name: 'Grace',
      provider: 'password',
      orgName: "Grace's organization",
    })
    const other = createBrowser(server.origin)
    const again = await other.post('/sign-in', { form: { intent: 'sign-in', email: 'GRACE@example.test', password } })
    expect(again.headers.get('location')).toBe('/')
  })

  it.each([
    '//evil.test',
    'https://evil.test',
    '/..//evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    '/sign-in',
    '/a%0d%0aSet-Cookie:x',
  ])('redirects to the start page for the return path %j', async path => {
    const browser = createBrowser(server.origin)
    const form = {
      intent: 'sign-up',
      name: 'Eve',
      email: `eve${Math.random().toString(36).slice(2)}@example.test`,
      password,
    }
    const answer = await browser.post(`/sign-in?return=${encodeURIComponent(path)}`, { form })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/')
  })

  it('shows the page again with the reason and the input, but never the password', async () => {
    const browser = createBrowser(server.origin)
    const form = { intent: 'sign-in', email: 'nobody@example.test', password: 'wrong-"><b>secret' }
    const answer = await browser.post('/sign-in?return=%2Fnotes', { form })
    const text = await answer.text()
    expect(answer.status).toBe(401)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(text).toContain('invalid-credentials')
    expect(text).toContain('value="nobody@example.test"')
    expect(text).not.toMatch(/<b>secret|wrong-/)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it('escapes the input', async () => {
    const form = { intent: 'sign-up', email: '"><script>alert(1)</script>', name: '<img>', password }
    const answer = await createBrowser(server.origin).post('/sign-in', { form })
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toMatch(/<script>alert|<img>/)
  })

  it('offers no development account outside development', async () => {
    const browser = createBrowser(server.origin)
    expect(await (await browser.get('/sign-in')).text()).not.toContain('value="dev"')
    expect((await browser.post('/sign-in', { form: { intent: 'dev' } })).status).toBe(403)
  })
})

describe('sign-in by JSON', () => {
  it('returns no token and sets one HttpOnly cookie', async () => {
    const browser = createBrowser(server.origin)
    const answer = await browser.post('/_fw/auth/sign-up/email', { json: ada })
    const body = await answer.json()
    expect(answer.status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('token')
    expect(body.user).toMatchObject({ email: 'ada@example.test', name: 'Ada' })
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^fw\.session_token=[^;]+; /)
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
    expect(cookie).toMatch(/Path=\//)
  })

  it('returns the same response for an unknown address and a wrong password', async () => {
    const browser = createBrowser(server.origin)
    const unknown = await browser.post('/_fw/auth/sign-in/email', { json: { email: 'no@example.test', password } })
    const wrong = await browser.post('/_fw/auth/sign-in/email', { json: { ...ada, password: 'not the password' } })
    const { requestId: _a, ...first } = await unknown.json()
    const { requestId: _b, ...second } = await wrong.json()
    expect(unknown.status).toBe(401)
    expect(first).toEqual(second)
    expect(first).toMatchObject({ code: 'invalid-credentials', type: 'urn:fairway:error:invalid-credentials' })
  })

  it('returns 409 for a second account with the same address, regardless of case', async () => {
    const answer = await createBrowser(server.origin).post('/_fw/auth/sign-up/email', {
      json: { ...ada, email: 'ADA@example.test' },
    })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'account-exists' })
  })
  it.each([
    ['a@x.test,b@y.test', 'email'],
    ['a@x.test\r\nBcc: b@y.test', 'email'],
    [`${'a'.repeat(250)}@example.test`, 'email'],
    ['no-at-sign', 'email'],
    ['', 'email'],
  ])('returns 400 for the address %j', async (email, path) => {
    const answer = await createBrowser(server.origin).post('/_fw/auth/sign-up/email', { json: { ...ada, email } })
    const body = await answer.json()
    expect(answer.status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid-input' })
    expect(body.errors[0].path).toBe(path)
  })

  it.each([
    ['11 letters', 'zebra quilt', 'password-too-short'],
    ['129 letters', 'zebra quilt 7 '.repeat(10).slice(0, 129), 'password-too-long'],
    ['a common one', 'passwordpassword', 'password-too-common'],
  ])('returns 400 for a password of %s', async (_name, refused, code) => {
    const answer = await createBrowser(server.origin).post('/_fw/auth/sign-up/email', {
      json: { ...ada, email: 'rules@example.test', password: refused },
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code })
  })

  it.each(['/..//evil.test', '//evil.test', 'https://evil.test', '/%2e%2e//x/..//evil.test', 42])(
    'returns 400 for the callback %j before the library reads it',
    async callbackURL => {
      for (const name of ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo']) {
        const answer = await createBrowser(server.origin).post('/_fw/auth/sign-in/email', {
          json: { ...ada, [name]: callbackURL },
        })
        expect(answer.status).toBe(400)
        expect(await answer.json()).toMatchObject({ code: 'invalid-callback' })
      }
    },
  )

  it('returns 404 for other endpoints of the library', async () => {
    const browser = createBrowser(server.origin)
    for (const path of [
      'get-session',
      'list-sessions',
      'verify-email/x?callbackURL=/..//evil.test',
      'ok',
      'error',
      'reset-password/x',
      'delete-user',
      'change-email',
      'organization/list',
      'organization/get-full-organization',
      'SIGN-IN/email',
      '__proto__',
    ]) {
      const answer = await browser.get(`/_fw/auth/${path}`)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('location')).toBeNull()
    }
  })
})

describe('password change', () => {
  it('requires the old password and ends other sessions', async () => {
    const person = { email: 'change@example.test', password, name: 'Change' }
    const here = createBrowser(server.origin)
    const there = createBrowser(server.origin)
    await signUp(here, person)
    await there.post('/_fw/auth/sign-in/email', { json: person })
    const newPassword = 'a quieter lantern 9'
    const wrong = await here.post('/_fw/auth/change-password', {
      json: { currentPassword: 'not this one', newPassword },
    })
    expect(await statusAndCode(wrong)).toEqual([401, 'invalid-credentials'])
    const weak = await here.post('/_fw/auth/change-password', {
      json: { currentPassword: password, newPassword: 'short' },
    })
    expect(await codeOf(weak)).toBe('password-too-short')
    const changed = await here.post('/_fw/auth/change-password', { json: { currentPassword: password, newPassword } })
    expect(changed.status).toBe(200)
    expect(await sessionOf(here)).toMatchObject({ email: person.email })
    expect(await sessionOf(there)).toBeNull()
    const old = await there.post('/_fw/auth/sign-in/email', { json: person })
    expect(old.status).toBe(401)
    expect((await there.post('/_fw/auth/sign-in/email', { json: { ...person, password: newPassword } })).status).toBe(
      200,
    )
  })

  it('returns 401 without a session', async () => {
    const json = { currentPassword: password, newPassword: 'a quieter lantern 9' }
    expect((await createBrowser(server.origin).post('/_fw/auth/change-password', { json })).status).toBe(401)
  })
})
