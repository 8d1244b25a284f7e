import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, raw, sessionOf, signUp } from '../support/http'
import { readOutbox } from '../support/mail'
import { countRows, query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'

const password = 'zebra quilt 7 lantern'
const wrong = 'wrong password here'
const PATH = '/_fw/auth/sign-in/email'
/** The test server trusts this machine as a proxy, so a request can come from any network. */
let server: TestServer
/** This one trusts no proxy. */
let direct: TestServer

beforeAll(async () => {
  server = await borrowServer({ env: { FW_RATE_LIMITS: 'on', FW_TRUSTED_PROXIES: '127.0.0.1,0:0:0:0:0:0:0:1' } })
  direct = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
})
afterAll(() => Promise.all([server.stop(), direct.stop()]))

let count = 0
/** An address of a documentation network that no other test uses. */
const network = () => `198.51.${100 + (++count >> 8)}.${count & 255}`
const address = () => `person${++count}@example.test`

interface Try {
  email?: string
  password?: string
  from?: string
  path?: string
  headers?: Record<string, string>
  at?: TestServer
}

/** Tries to sign in once; returns the status. */
async function attempt({ email = address(), from, path = PATH, headers = {}, at = server, ...input }: Try) {
  const answer = await fetch(at.origin + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...(from ? { 'x-forwarded-for': from } : {}), ...headers },
    body: JSON.stringify({ email, password: input.password ?? wrong }),
  })
  await answer.arrayBuffer()
  return answer.status
}

async function attempts(tries: Try[]): Promise<number[]> {
  const statuses: number[] = []
  for (const one of tries) statuses.push(await attempt(one))
  return statuses
}

const times = <T>(number: number, make: (index: number) => T): T[] => Array.from({ length: number }, (_, i) => make(i))

/** Creates an account that is not signed in anywhere. */
async function anAccount(): Promise<string> {
  const email = address()
  const browser = createBrowser(server.origin)
  const answer = await browser.post('/_fw/auth/sign-up/email', {
    json: { email, password, name: 'Person' },
    headers: { 'x-forwarded-for': network() },
  })
  if (!answer.ok) throw new Error(await answer.text())
  await browser.request('/_fw/session', { method: 'DELETE' })
  return email
}

describe('password guessing for one account', () => {
  it('is stopped after five attempts, even from many networks and with 60 at once', async () => {
    const email = address()
    const statuses = await Promise.all(times(60, () => attempt({ email, from: network() })))
    expect(statuses.filter(status => status === 401)).toHaveLength(5)
    expect(statuses.filter(status => status === 429)).toHaveLength(55)
  })

  it.each([
    ['capitals and spaces', (email: string) => `  ${email.toUpperCase()} `],
    ['full-width letters', (email: string) => email.replace('p', 'ｐ').replace('@', '＠')],
  ])('is counted together for every spelling of the address: %s', async (_name, spell) => {
    const email = address()
    await attempts(times(5, () => ({ email, from: network() })))
    expect(await attempt({ email: spell(email), from: network() })).toBe(429)
  })

  it.each([
    '/_fw/auth//sign-in/email',
    '//_fw/auth/sign-in/email',
    '/_fw//auth/sign-in/email',
    '/_fw/auth/sign-in/email/',
    '/_fw/auth/sign-in//email',
    '/_fw/auth/Sign-In/Email',
    '/_FW/auth/sign-in/email',
    '/_fw/auth/sign%2din/email',
    '/_fw/auth/sign-in%2femail',
    '/_fw/auth/%73ign-in/email',
    '/_fw/auth/./sign-in/email',
    '/_fw/auth/sign-in/email?x=1',
    '/_fw/auth/sign-in/email;x=1',
    '/_fw/auth/sign-in/email%00',
    '/_fw/auth/sign-in/email%20',
    '/_fw/auth/sign-up/../sign-in/email',
  ])('cannot bypass the counter at %s', async path => {
    const email = await anAccount()
    expect(await attempts(times(5, () => ({ email, from: network() })))).toEqual(Array(5).fill(401))
    // Sends the path unchanged; a client library would normalize it.
    const body = JSON.stringify({ email, password })
    const request = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      'content-type: application/json',
      `x-forwarded-for: ${network()}`,
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n')
    const answer = await raw(server.origin, request)
    expect(answer).toMatch(/^HTTP\/1\.1 (404|405|429|400|3\d\d) /)
    expect(answer).not.toMatch(/set-cookie:/i)
  })

  it('is counted together for the form and the endpoint', async () => {
    const email = address()
    await attempts(times(5, () => ({ email, from: network() })))
    const answer = await createBrowser(server.origin).post('/sign-in', {
      form: { intent: 'sign-in', email, password: wrong },
      headers: { 'x-forwarded-for': network() },
    })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('owner of an account with too many failed sign-ins', () => {
  it('can sign in after the window ends', async () => {
    const email = await anAccount()
    await attempts(times(8, () => ({ email, from: network() })))
    const home = network()
    expect(await attempt({ email, password, from: home })).toBe(429)
    await query(server, `update rate_limits set ends_at = ${Date.now() - 1}`)
    expect(await attempt({ email, password, from: home })).toBe(200)
  })

  it('can sign in at once from a known network, while strangers get no more attempts', async () => {
    const email = await anAccount()
    const home = network()
    expect(await attempt({ email, password, from: home })).toBe(200)
    await attempts(times(8, () => ({ email, from: network() })))
    expect(await attempt({ email, password, from: home })).toBe(200)
    expect(await attempt({ email, password, from: network() })).toBe(429)
    expect(await attempts(times(6, () => ({ email, from: home })))).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('can keep working where they are signed in and change the password', async () => {
    const email = address()
    const browser = createBrowser(server.origin)
    await signUp(browser, { email, password, name: 'Owner' })
    await attempts(times(8, () => ({ email, from: network() })))
    expect(await sessionOf(browser)).toMatchObject({ email })
    const changed = await browser.post('/_fw/auth/change-password', {
      json: { currentPassword: password, newPassword: 'a quieter lantern 9' },
    })
    expect(changed.status).toBe(200)
  })

  it('gets all attempts back after a sign-in', async () => {
    const email = await anAccount()
    const home = network()
    await attempts(times(4, () => ({ email, from: home })))
    expect(await attempt({ email, password, from: home })).toBe(200)
    expect(await attempts(times(4, () => ({ email, from: home })))).toEqual(Array(4).fill(401))
  })
})

describe('password guessing from one network', () => {
  it('is stopped after 30 attempts at any accounts, not counting successful sign-ins', async () => {
    const home = network()
    const email = await anAccount()
    expect(await attempts(times(10, () => ({ email, password, from: home })))).toEqual(Array(10).fill(200))
    expect(await attempts(times(30, () => ({ from: home })))).toEqual(Array(30).fill(401))
    expect(await attempt({ from: home })).toBe(429)
    expect(await attempt({ from: network() })).toBe(401)
  })

  it('counts an IPv6 /64 as one network in every spelling', async () => {
    const spellings = [
      (index: number) => `2001:db8:7:8::${index.toString(16)}`,
      (index: number) => `2001:DB8:0007:8:${index.toString(16)}:0:0:1`,
      (index: number) => `[2001:0db8:7:0008:0:0:${index.toString(16)}:0]:4711`,
    ]
    const spelled = (index: number) => spellings[index % 3]?.(index + 1)
    await attempts(times(30, index => ({ from: spelled(index) })))
    expect(await attempts(times(3, index => ({ from: spelled(index + 40) })))).toEqual([429, 429, 429])
    expect(await attempt({ from: '2001:db8:7:9::1' })).toBe(401)
  })

  it('counts an IPv4 address and its IPv6-mapped forms as one network', async () => {
    const home = '203.0.113.77'
    await attempts(times(30, () => ({ from: home })))
    for (const from of ['::ffff:203.0.113.77', '::FFFF:cb00:714d', '0:0:0:0:0:ffff:203.0.113.77', '203.0.113.77:9']) {
      expect([from, await attempt({ from })]).toEqual([from, 429])
    }
  })

  it('uses the hop before the trusted proxy, regardless of what the client sent', async () => {
    const home = network()
    await attempts(times(30, index => ({ from: `192.0.2.${index}, ${home}` })))
    expect(await attempt({ from: `192.0.2.200, ${home}, 127.0.0.1` })).toBe(429)
  })

  it('uses the socket address when no proxy is trusted, regardless of headers', async () => {
    const tricks = (index: number): Record<string, string> => ({
      'x-forwarded-for': `198.18.0.${index}`,
      forwarded: `for=198.18.1.${index};host=evil.test`,
      'x-real-ip': `198.18.2.${index}`,
      'cf-connecting-ip': `198.18.3.${index}`,
      'true-client-ip': `198.18.4.${index}`,
      'x-client-ip': `198.18.5.${index}`,
      'x-fw-client-address': `198.18.6.${index}`,
      'x-forwarded-host': `h${index}.evil.test`,
      via: `1.1 p${index}`,
    })
    await attempts(times(30, index => ({ at: direct, headers: tricks(index) })))
    expect(await attempt({ at: direct, headers: tricks(99) })).toBe(429)
    const rows = await fetch(`${direct.origin}/_fw/auth/sign-in/social`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'nobody' }),
    })
    expect(rows.status).toBe(400)
  })
})

describe('sign-up', () => {
  it('is limited to ten per hour and network, regardless of the path’s spelling', async () => {
    const home = network()
    const signUpFrom = (path: string) =>
      fetch(server.origin + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': home },
        body: JSON.stringify({ email: address(), password, name: 'Person' }),
      })
    for (const answer of await Promise.all(times(10, () => signUpFrom('/_fw/auth/sign-up/email')))) {
      expect(answer.status).toBe(200)
    }
    const refused = await signUpFrom('/_fw/auth/sign-up/email')
    expect(await statusAndCode(refused)).toEqual([429, 'rate-limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000)
    for (const path of ['/_fw/auth/sign-up//email', '/_fw/auth/sign-up/email/', '/_fw/auth/SIGN-UP/email']) {
      expect([404, 429]).toContain((await signUpFrom(path)).status)
    }
  })
})

describe('POST /_fw/account/address', () => {
  /** People who are signed in with confirmed addresses. */
  async function people(number: number) {
    const browsers = await Promise.all(
      times(number, async () => {
        const browser = createBrowser(server.origin)
        const json = { email: address(), password, name: 'Person' }
        await browser.post('/_fw/auth/sign-up/email', { json, headers: { 'x-forwarded-for': network() } })
        return browser
      }),
    )
    await query(server, 'update users set email_verified = 1')
    return browsers
  }
  type Browser = ReturnType<typeof createBrowser>
  const ask = (browser: Browser, email: string, from: string, path = '') =>
    browser.post(`/_fw/account/address${path}`, { json: { email }, headers: { 'x-forwarded-for': from } })
  const statusesOf = async (answers: Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b)
  const mailsTo = (email: string) => readOutbox(server.dataDir).filter(({ to }) => to === email).length

  it('emails one recipient five times per hour for all senders, with or without an account', async () => {
    const [known, unknown] = [await anAccount(), address()]
    const browsers = await people(40)
    for (const email of [known, unknown]) {
      const statuses = await statusesOf(browsers.map(browser => ask(browser, email, network())))
      expect(statuses).toEqual([...times(5, () => 202), ...times(35, () => 429)])
      expect(mailsTo(email)).toBe(5)
    }
    // A refused change is not stored, so it cannot be mailed again either.
    expect(await countRows(server, 'fw_address_changes where email = ?', [unknown])).toBe(5)
  })

  it('sends ten emails per ten minutes for one network, including resends', async () => {
    const from = network()
    const browsers = await people(6)
    const first = await statusesOf(browsers.map(browser => ask(browser, address(), from)))
    const again = await statusesOf(browsers.map(browser => ask(browser, address(), from, '/resend')))
    expect(first).toEqual(times(6, () => 202))
    expect(again).toEqual([202, 202, 202, 202, 429, 429])
  })
})
