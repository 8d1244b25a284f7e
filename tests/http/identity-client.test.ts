import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, plainRequest, sessionOf, type TestBrowser } from '../support/http'
import { type HubMisbehaviour, startHub, type TestHub } from '../support/hub'
import { query } from '../support/query'
import { A2A_SECRET, JWT } from '../support/secrets'
import { freePort, startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'
import { serve } from '../support/web-server'

const LOGIN = '/_fw/identity/login'
const CALLBACK = '/_fw/identity/callback'
const DOWN = '/sign-in?error=provider-unavailable&return=%2Fnotes'

let hub: TestHub
let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let env: Record<string, string>
let count = 0

beforeAll(async () => {
  hub = await startHub()
  env = { FW_APP_ID: 'mail', FW_IDENTITY_HUB_URL: hub.origin, A2A_SECRET }
  server = await startServer({ env })
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  await hub.stop()
})

const newEmail = () => `someone${++count}@example.test`
const locationOf = (answer: Response) => answer.headers.get('location') ?? ''
const states = () => query(server, `select hash from fw_one_time where purpose = 'hub-sign-in'`)

async function begin(browser: TestBrowser, returnPath = '/notes'): Promise<string> {
  const answer = await browser.get(`${LOGIN}?${new URLSearchParams({ return: returnPath })}`)
  if (answer.status !== 303) throw new Error(`${answer.status} ${await answer.text()}`)
  return locationOf(answer)
}

async function signIn(email: string, wrong: HubMisbehaviour = {}) {
  const browser = createBrowser(server.origin)
  const query = hub.approve(await begin(browser), { email }, wrong)
  return { browser, query, answer: await browser.get(`${CALLBACK}?${query}`) }
}

describe('Hub sign-in', () => {
  it('leads to the hub and back to the return path, with a session and without temporary cookies', async () => {
    const email = newEmail()
    const { browser, answer } = await signIn(email)
    expect([answer.status, locationOf(answer)]).toEqual([303, '/notes'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(browser.cookieHeader()).not.toContain('identity')
    expect(await sessionOf(browser)).toMatchObject({ email, emailVerified: true, provider: 'hub', orgRole: 'owner' })
    const { sessions } = await (await browser.get('/_fw/sessions')).json()
    expect(sessions).toMatchObject([{ provider: 'hub', current: true }])
  })

  it('keeps every token out of addresses, responses and the log', async () => {
    const browser = createBrowser(server.origin)
    const start = await browser.get(`${LOGIN}?return=/notes`)
    const query = hub.approve(locationOf(start), { email: newEmail() })
    const answer = await browser.get(`${CALLBACK}?${query}`)
    const assertion = hub.assertions.at(-1) ?? 'none'
    const seen = [start, answer].map(each => JSON.stringify([...each.headers])).join('\n') + (await answer.text())
    expect(seen).not.toMatch(JWT)
    for (const part of assertion.split('.')) expect(seen + server.log()).not.toContain(part)
    for (const secret of [query.get('code'), query.get('state')]) expect(server.log()).not.toContain(secret)
  })

  it('starts only with a GET navigation of a browser', async () => {
    const before = await states()
    const head = await fetch(`${server.origin}${LOGIN}?return=/notes`, { method: 'HEAD', redirect: 'manual' })
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ] as Record<string, string>[]) {
      const answer = await plainRequest(`${server.origin}${LOGIN}?return=/notes`, { headers })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
    }
    const post = await createBrowser(server.origin).post(LOGIN, { form: { return: '/notes' } })
    expect(post.status).toBe(405)
    expect(await states()).toEqual(before)
    const headers = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }
    expect((await plainRequest(`${server.origin}${LOGIN}`, { headers })).status).toBe(303)
  })

  it('does not use up a state with HEAD', async () => {
    const browser = createBrowser(server.origin)
    const query = hub.approve(await begin(browser), { email: newEmail() })
    expect((await browser.request(`${CALLBACK}?${query}`, { method: 'HEAD' })).status).toBe(405)
    expect(locationOf(await browser.get(`${CALLBACK}?${query}`))).toBe('/notes')
  })

  it('redirects signed-in people to the return path unless they ask to sign in again', async () => {
    const { browser } = await signIn(newEmail())
    const before = await states()
    const answer = await browser.get(`${LOGIN}?return=/team?a=1`)
    expect([answer.status, locationOf(answer)]).toEqual([303, '/team?a=1'])
    expect(await states()).toEqual(before)
    expect(locationOf(await browser.get(`${LOGIN}?return=/notes&again=1`))).toContain(hub.origin)
  })

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https:evil.test',
    'https://evil.test',
    '/%2f/evil.test',
    '/..//evil.test',
    '/\tevil.test',
    'javascript:alert(1)',
    '/sign-in?return=/x',
    '/_fw/sign-in',
  ])('never redirects to another origin: %j', async value => {
    const signedIn = createBrowser(server.origin)
    const query = hub.approve(await begin(signedIn, value), { email: newEmail() })
    expect(locationOf(await signedIn.get(`${CALLBACK}?${query}`))).toBe('/')
    expect(locationOf(await signedIn.get(`${LOGIN}?return=${encodeURIComponent(value)}`))).toBe('/')
  })

  it('rejects the state of another browser with a page that says what to do', async () => {
    const attacker = createBrowser(server.origin)
    const query = hub.approve(await begin(attacker), { email: newEmail() })
    const victim = createBrowser(server.origin)
    const answer = await victim.get(`${CALLBACK}?${query}`)
    expect(locationOf(answer)).toBe('/sign-in?error=invalid-state')
    expect(await sessionOf(victim)).toBeNull()
    const page = await victim.get(locationOf(answer))
    expect([page.status, page.headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(await page.text()).toContain('began in another browser')
    const german = await victim.get(`${locationOf(answer)}&lang=de`)
    expect(await german.text()).toContain('begann in einem anderen Browser')
  })

  it('limits requests from one address at the start and at the callback', async () => {
    const limited = await startServer({ env: { ...env, FW_RATE_LIMITS: 'on' } })
    try {
      const browser = createBrowser(limited.origin)
      const ends = new Set<number>()
      for (let attempt = 0; attempt < 30; attempt++) ends.add((await browser.get(`${CALLBACK}?state=x`)).status)
      expect([...ends]).toEqual([303])
      const answer = await browser.get(`${CALLBACK}?state=x`, { headers: { accept: 'text/html' } })
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true])
      const starts = new Set<number>()
      for (let attempt = 0; attempt < 60; attempt++)
        starts.add((await fetch(limited.origin + LOGIN, { redirect: 'manual' })).status)
      expect([...starts]).toEqual([303])
      expect((await fetch(limited.origin + LOGIN, { redirect: 'manual' })).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })
})

describe('Sign-in page with a hub', () => {
  it('offers the hub by its host name in both languages and works without a script', async () => {
    const { host } = new URL(hub.origin)
    const browser = createBrowser(server.origin)
    expect(await (await browser.get('/sign-in')).text()).toContain(`Continue with ${host}`)
    expect(await (await browser.get('/sign-in?lang=de')).text()).toContain(`Weiter mit ${host}`)
    const answer = await browser.post('/sign-in?return=/notes%3Fa=1', { form: { provider: 'hub' } })
    expect([answer.status, locationOf(answer)]).toEqual([303, `${LOGIN}?return=%2Fnotes%3Fa%3D1`])
    const query = hub.approve(locationOf(await browser.get(locationOf(answer))), { email: newEmail() })
    expect(locationOf(await browser.get(`${CALLBACK}?${query}`))).toBe('/notes?a=1')
    const evil = await browser.post('/sign-in?return=//evil.test', { form: { provider: 'hub' } })
    expect(locationOf(evil)).toBe(`${LOGIN}?return=%2F`)
  })

  it('lets a signed-in person sign in through the hub again', async () => {
    const { browser } = await signIn(newEmail())
    const answer = await browser.post('/sign-in?return=/notes&again=1', { form: { provider: 'hub' } })
    expect(locationOf(answer)).toBe(`${LOGIN}?return=%2Fnotes&again=1`)
  })

  it.each(['provider-unavailable', 'provider-failed', 'invalid-state', 'provider-email-not-verified'])(
    'explains %s in both languages and still offers the usual sign-in methods',
    async code => {
      const browser = createBrowser(server.origin)
      const [english, german] = await Promise.all(
        ['en', 'de'].map(async lang => (await browser.get(`/sign-in?error=${code}&lang=${lang}`)).text()),
      )
      for (const page of [english, german]) {
        expect(page).toContain(code)
        expect(page).toContain('name="password"')
        expect(page).toContain('value="hub"')
      }
      expect(english).toMatch(/role="alert"[^>]*>[^<]/)
      expect(german).not.toBe(english)
    },
  )
})

describe('Failing hub', () => {
  const endless = () =>
    new ReadableStream({ start: stream => stream.enqueue(new TextEncoder().encode('{"assertion":"')) })

  /** A sign-in by password at the same time. */
  async function signInByPassword() {
    const { email } = await world.person({ email: newEmail() })
    const browser = createBrowser(server.origin)
    const answer = await browser.post('/sign-in?return=/notes', {
      form: { intent: 'sign-in', email, password: PASSWORD },
    })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email, provider: 'password' })
  }

  it.each<[string, () => Promise<Response>]>([
    ['an error', async () => Response.json({ error: 'server_error' }, { status: 500 })],
    ['that it is busy', async () => Response.json({ error: 'slow_down' }, { status: 429 })],
    ['that there is nothing', async () => Response.json({ error: 'not_found' }, { status: 404 })],
    ['a web page', async () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })],
    ['nothing', async () => new Response('')],
    ['half a JSON document', async () => new Response('{"assertion":"eyJ')],
    ['a list', async () => Response.json([])],
    ['null', async () => Response.json(null)],
    ['another member', async () => Response.json({ access_token: 'x' })],
    ['an assertion that is no text', async () => Response.json({ assertion: { a: 1 } })],
    ['an empty assertion', async () => Response.json({ assertion: '' })],
    ['300 KiB', async () => Response.json({ assertion: 'x'.repeat(300 * 1024) })],
    ['300 KiB without an end', async () => new Response(endless().pipeThrough(padded(300 * 1024)))],
  ])('keeps local sign-in working when the hub response is %s', async (_, answer) => {
    const began = performance.now()
    const { browser, answer: end } = await signIn(newEmail(), { answer })
    expect([end.status, locationOf(end)]).toEqual([303, DOWN])
    // The limit is eight seconds, plus time for a busy machine. Without the limit this would take a minute.
    expect(performance.now() - began).toBeLessThan(25_000)
    expect(await sessionOf(browser)).toBeNull()
    expect(await (await browser.get(DOWN)).text()).toContain('The provider is not responding')
    await signInByPassword()
  })
  it('does not follow redirects from the hub', async () => {
    let visits = 0
    const elsewhere = await serve(async () => {
      visits += 1
      return Response.json({ assertion: hub.assertions.at(-1) })
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const answer = async () => new Response(null, { status, headers: { location: elsewhere.origin } })
      expect(locationOf((await signIn(newEmail(), { answer })).answer)).toBe(DOWN)
    }
    await elsewhere.stop()
    expect(visits).toBe(0)
  })

  it('keeps the sign-in page, local sign-in and existing sessions working when the hub is gone', async () => {
    const gone = await startHub()
    const app = await startServer({ env: { ...env, FW_IDENTITY_HUB_URL: gone.origin } })
    try {
      const first = createBrowser(app.origin)
      const query = gone.approve(await begin(first), { email: newEmail() })
      expect(locationOf(await first.get(`${CALLBACK}?${query}`))).toBe('/notes')
      const second = createBrowser(app.origin)
      const late = gone.approve(await begin(second), { email: newEmail() })
      await gone.stop()
      const began = performance.now()
      expect(locationOf(await second.get(`${CALLBACK}?${late}`))).toBe(DOWN)
      expect(performance.now() - began).toBeLessThan(3000)
      expect(await sessionOf(first)).toMatchObject({ provider: 'hub' })
      expect((await second.get('/sign-in')).status).toBe(200)
      const json = { email: newEmail(), password: PASSWORD, name: 'Ada' }
      expect((await second.post('/_fw/auth/sign-up/email', { json })).status).toBe(200)
      expect(await sessionOf(second)).toMatchObject({ provider: 'password' })
    } finally {
      await app.stop()
    }
  })
})

/** Passes each chunk on and adds this many bytes; the stream never ends. */
function padded(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, stream) {
      stream.enqueue(chunk)
      stream.enqueue(new Uint8Array(bytes).fill(120))
    },
  })
}

describe('Application without a hub', () => {
  const paths = ['/sign-in', '/sign-in?error=provider-unavailable', '/', '/_fw/session', LOGIN, CALLBACK, '/_fw/x']

  /** Every response with its status, headers and bytes, without the parts that differ from request to request. */
  async function answers(port: string, more: Record<string, string>) {
    const app = await startServer({ env: { PORT: port, ...more } })
    const seen: Record<string, string> = {}
    try {
      for (const path of paths) {
        for (const method of ['GET', 'HEAD', 'POST']) {
          const answer = await plainRequest(app.origin + path, { method, headers: { origin: app.origin } })
          const text = (await answer.text()).replaceAll(/"requestId":"[^"]+"/g, '')
          const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
          seen[`${method} ${path}`] = JSON.stringify([answer.status, headers, text])
        }
      }
    } finally {
      await app.stop()
    }
    return seen
  }

  it('returns identical responses when the hub is unset, malformed or set without the shared secret', async () => {
    const port = String(await freePort())
    const plain = await answers(port, {})
    const off: Record<string, string>[] = [
      { A2A_SECRET },
      { A2A_SECRET, FW_IDENTITY_HUB_URL: 'https://hub.example.test/path' },
      { FW_IDENTITY_HUB_URL: 'https://hub.example.test' },
    ]
    for (const more of off) {
      expect(await answers(port, more), JSON.stringify(more)).toEqual(plain)
    }
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const path of [LOGIN, CALLBACK]) expect(plain[`${method} ${path}`]).toBe(plain[`${method} /_fw/x`])
    }
    expect(JSON.parse(plain[`GET ${LOGIN}`] ?? '')[0]).toBe(404)
  })

  it('keeps accounts and sessions when the hub variable is removed, and offers no hub', async () => {
    const PORT = String(await freePort())
    const withHub = await startServer({ env: { ...env, PORT } })
    const browser = createBrowser(withHub.origin)
    const email = newEmail()
    await browser.get(`${CALLBACK}?${hub.approve(await begin(browser), { email })}`)
    await withHub.stop()
    const without = await startServer({ dataDir: withHub.dataDir, env: { FW_APP_ID: 'mail', A2A_SECRET, PORT } })
    try {
      expect(await sessionOf(browser)).toMatchObject({ email, provider: 'hub' })
      expect(await (await browser.get('/sign-in')).text()).not.toContain('value="hub"')
      expect((await browser.get(LOGIN)).status).toBe(404)
    } finally {
      await without.stop()
    }
  })
})
