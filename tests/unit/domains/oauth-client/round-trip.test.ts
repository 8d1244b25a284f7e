import { beforeEach, describe, expect, it } from 'vitest'
import { endConnection, endProviderSignIn, startProviderSignIn } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { CookieJar } from '../../../support/http'
import { createIssuer } from '../../../support/provider'
import { query } from '../../../support/query'

const corp = { clientId: 'corp-client', clientSecret: 'corp-secret' }
const env = {
  FW_BASE_URL: 'https://app.example.test',
  FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', ...corp }]),
  FW_RATE_LIMITS: 'off',
}
const visitor = { clientAddress: '192.0.2.1', userAgent: 'test' }
const ada = { sub: 'sub-1', email: 'ada@corp.test' }
const FAILED = '/sign-in?error=invalid-state'

const test = useTestApp(env)
let app: App
let issuer: ReturnType<typeof createIssuer>

beforeEach(() => {
  issuer = createIssuer('https://corp.test', corp)
  app = { ...test.app, fetch: (input, init) => issuer.handle(new Request(input, init)) }
})

/** Begins a sign-in and approves it at the provider. The browser has not returned yet. */
async function approved(jar = new CookieJar(), returnPath = '/notes') {
  const start = await startProviderSignIn(app, {
    provider: 'corp',
    returnPath,
    ...visitor,
    cookieHeader: jar.header,
  })
  jar.keep(start.setCookies)
  return { ...start, jar, brought: issuer.approve(start.url, ada) }
}

async function end(brought: URLSearchParams, jar: CookieJar, on = app) {
  const ended = await endProviderSignIn(on, {
    provider: 'corp',
    query: brought,
    cookieHeader: jar.header,
    ...visitor,
  })
  jar.keep(ended.setCookies.filter(cookie => cookie.includes('provider_state')))
  return ended.location
}

describe('sign-in state cookies', () => {
  it('have the __Host- prefix and Secure over https', async () => {
    const { setCookies, url } = await approved()
    const state = new URL(url).searchParams.get('state')
    expect(setCookies).toEqual([
      expect.stringMatching(
        new RegExp(
          `^__Host-fw\\.provider_state\\.[\\w-]{16}=\\d{13}\\.${state}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$`,
        ),
      ),
    ])
  })

  it('are kept for five sign-ins per browser, and the oldest ends', async () => {
    const jar = new CookieJar()
    const begun = []
    for (let tab = 0; tab < 6; tab++) {
      begun.push(await approved(jar, `/tab-${tab}`))
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    expect(jar.names).toHaveLength(5)
    const ends = []
    for (const { brought } of begun) ends.push(await end(brought, jar))
    expect(ends).toEqual([FAILED, '/tab-1', '/tab-2', '/tab-3', '/tab-4', '/tab-5'])
    expect(jar.names).toEqual([])
  })

  it('return two concurrent tabs to their own paths, also when neither knew of the other', async () => {
    const jar = new CookieJar()
    const [one, two] = await Promise.all([approved(jar, '/one'), approved(jar, '/two')])
    expect(await Promise.all([end(one.brought, jar), end(two.brought, jar)])).toEqual(['/one', '/two'])
  })

  it('are never written with values made up by the browser', async () => {
    const start = await startProviderSignIn(app, {
      provider: 'corp',
      returnPath: '/',
      ...visitor,
      cookieHeader: Array.from({ length: 9 }, (_, at) => `__Host-fw.provider_state.<x>${at}=<y>`).join('; '),
    })
    expect(start.setCookies).toHaveLength(1)
    expect(start.setCookies.join('')).not.toMatch(/[<>]/)
  })
})

describe('sign-in state', () => {
  it('is stored as a hash, with verifier, nonce and return path encrypted', async () => {
    const { url } = await approved()
    const text = JSON.stringify(await query(app, 'select * from fw_one_time'))
    const { state = '', nonce = '' } = Object.fromEntries(new URL(url).searchParams)
    for (const secret of [state, nonce, '/notes']) expect(text).not.toContain(secret)
  })

  it('is used once by concurrent requests', async () => {
    const { brought, jar } = await approved()
    const slow = withLatency(app)
    const ends = await Promise.all(Array.from({ length: 8 }, () => end(brought, jar, slow)))
    expect(ends.toSorted()).toEqual(['/notes', ...Array.from({ length: 7 }, () => FAILED)])
  })

  it('is rejected by another flow, and stays valid for its own', async () => {
    const { brought, jar } = await approved()
    const header = jar.header.replace('provider_state', 'connection_state')
    const { location } = await endConnection(app, {
      userId: null,
      query: brought,
      cookieHeader: header,
      clientAddress: '192.0.2.1',
    })
    expect(location).toBe('/sign-in?error=invalid-state&return=%2Fconnections')
    expect(await end(brought, jar)).toBe('/notes')
  })

  it('is rejected when the client at the provider has changed, and the return path is kept', async () => {
    const { brought, jar } = await approved()
    const signInProviders = app.config.signInProviders.map(provider => ({ ...provider, clientId: 'other' }))
    const changed = { ...app, config: { ...app.config, signInProviders } }
    expect(await end(brought, jar, changed)).toBe(`${FAILED}&return=%2Fnotes`)
    expect(await query(app, 'select kind from security_events')).toEqual([{ kind: 'state-validation-failed' }])
  })
})

it('connection callbacks beyond the rate limit of an address record a security event', async () => {
  const limited: App = { ...app, config: { ...app.config, rateLimits: true } }
  const callback = () =>
    endConnection(limited, { userId: null, query: new URLSearchParams(), clientAddress: '192.0.2.7' })
  for (let attempt = 0; attempt < 30; attempt++) await callback()
  await expect(callback()).rejects.toMatchObject({ code: 'rate-limited' })
  const events = await query(app, `select client_address from security_events where kind = 'callbacks-limited'`)
  expect(events).toEqual([{ client_address: '192.0.2.7' }])
})
