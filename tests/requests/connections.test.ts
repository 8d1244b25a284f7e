import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OidcProvider, startOidcProvider } from '../support/provider-oidc'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'
import { serve } from '../support/web-server'

const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

let corp: OidcProvider
let odd: Awaited<ReturnType<typeof serve>>
let answerOddly: () => Response | Promise<Response>
let server: TestServer
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  corp = await startOidcProvider(client)
  odd = await serve(async () => answerOddly())
  const openId = [{ id: 'corp', name: 'Corp', issuer: corp.issuer, ...client }]
  const plain = { authorization: `${odd.origin}/authorize`, token: `${odd.origin}/token` }
  server = await borrowServer({
    env: {
      FW_OIDC_PROVIDERS: JSON.stringify(openId),
      FW_OAUTH_PROVIDERS: JSON.stringify([{ id: 'odd', name: 'Odd', endpoints: plain, ...client }]),
    },
  })
  corp.allow(`${server.origin}/callback`)
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  await Promise.all([corp.stop(), odd.stop()])
})

const start = async ({ browser }: TeamPerson, provider: string) => {
  const answer = await browser.get(`/_fw/connections/${provider}?return=/connections`)
  expect(answer.status).toBe(302)
  return answer.headers.get('location') ?? ''
}

/** Opens the callback and returns the address of the redirect. */
async function end({ browser }: TeamPerson, callback: string): Promise<string> {
  const { pathname, search } = new URL(callback)
  const answer = await browser.get(pathname + search)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
  return answer.headers.get('location') ?? ''
}

async function connect(person: TeamPerson, provider = 'corp', from = corp): Promise<string> {
  return end(person, await from.signIn(await start(person, provider), person.email))
}

const listed = async ({ browser }: TeamPerson, provider = 'corp') => {
  const { connections } = await (await browser.get('/_fw/connections')).json()
  return connections.find((connection: { provider: string }) => connection.provider === provider)
}

describe('Connections to an OpenID provider', () => {
  it('connects, shows the account and its status, and revokes at the provider on disconnect', async () => {
    const ada = await world.person()
    expect(await connect(ada)).toBe('/connections?connected=corp')
    expect(await listed(ada)).toMatchObject({ status: 'connected', account: ada.email, renewsItself: true })
    await query(server, `update oauth_tokens set status = 'reconnect_required' where user_id = ?`, [ada.userId])
    expect(await listed(ada)).toMatchObject({ status: 'reconnect-required', account: ada.email })
    expect(await connect(ada)).toBe('/connections?connected=corp')
    expect(await listed(ada)).toMatchObject({ status: 'connected', account: ada.email })
    const answer = await ada.browser.request('/_fw/connections/corp', { method: 'DELETE' })
    expect(await answer.json()).toEqual({ revoked: true })
    expect(await listed(ada)).toMatchObject({ status: 'not-connected' })
  })

  it('requires a session at the start and at the callback', async () => {
    const { createBrowser } = await import('../support/http')
    const nobody = createBrowser(server.origin)
    expect((await nobody.get('/_fw/connections/corp')).status).toBe(401)
    expect((await nobody.get('/_fw/connections')).status).toBe(401)
    expect((await nobody.get('/callback?code=x&state=y')).headers.get('location')).toBe(
      '/sign-in?error=invalid-state&return=%2Fconnections',
    )
  })

  it('returns unknown-provider for a provider that is not configured', async () => {
    const ada = await world.person()
    expect(await (await ada.browser.get('/_fw/connections/nobody')).json()).toMatchObject({ code: 'unknown-provider' })
  })
})

describe('Connection errors at a provider', () => {
  it('shows access-denied when the person cancels at the provider', async () => {
    const ada = await world.person()
    const location = await end(ada, await corp.cancel(await start(ada, 'corp')))
    expect(location).toBe('/sign-in?error=access-denied&return=%2Fconnections')
    const page = await ada.browser.get(location, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('You cancelled at the provider.')
    const onwards = await ada.browser.get('/_fw/continue?error=access-denied&return=%2Fconnections')
    expect(onwards.headers.get('location')).toBe('/connections?error=access-denied')
  })
  it('rejects a code that was already used or belongs to another verifier', async () => {
    const ada = await world.person()
    const first = new URL(await corp.signIn(await start(ada, 'corp'), ada.email))
    const second = new URL(await corp.signIn(await start(ada, 'corp'), ada.email))
    const swapped = new URL(second)
    swapped.searchParams.set('code', first.searchParams.get('code') ?? '')
    expect(await end(ada, swapped.href)).toMatch(/error=invalid-(authorization-code|grant)/)
    expect(await listed(ada)).toMatchObject({ status: 'not-connected' })
    // The code itself was still unused; this request uses it.
    expect(await end(ada, first.href)).toBe('/connections?connected=corp')
    const again = new URL(await start(ada, 'corp'))
    const state = again.searchParams.get('state')
    const iss = encodeURIComponent(corp.issuer)
    const used = `${server.origin}/callback?code=${first.searchParams.get('code')}&state=${state}&iss=${iss}`
    expect(await end(ada, used)).toContain('error=invalid-authorization-code')
  })
  it('shows invalid-state when another browser opens the callback', async () => {
    const [ada, eve] = [await world.person(), await world.person()]
    const callback = await corp.signIn(await start(ada, 'corp'), ada.email)
    expect(await end(eve, callback)).toContain('error=invalid-state')
    expect(await listed(eve)).toMatchObject({ status: 'not-connected' })
  })

  it.each([
    ['nothing for a long time', () => sleep(60_000).then(() => new Response('')), 'provider-unavailable'],
    ['a page', () => new Response('<h1>', { headers: { 'content-type': 'text/html' } }), 'invalid-provider-answer'],
  ])('redirects to a clear page within ten seconds when the token endpoint returns %s', async (_what, answer, code) => {
    const ada = await world.person()
    const url = new URL(await start(ada, 'odd'))
    answerOddly = answer
    const began = performance.now()
    const location = await end(ada, `${server.origin}/callback?code=any&state=${url.searchParams.get('state')}`)
    expect(location).toBe(`/sign-in?error=${code}&return=%2Fconnections`)
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('records security events with their reasons and without secrets', async () => {
    const rows = await query(server, 'select kind, subject, reason from security_events')
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(
      new Set(['connection-cancelled', 'callback-failed', 'state-validation-failed', 'invalid-provider-response']),
    )
    expect(JSON.stringify(rows)).not.toMatch(/[\w-]{43}|[0-9a-f]{64}/)
  })
})
