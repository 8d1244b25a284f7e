import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeRegistry, hubReport, reportLines, offlineApp } from '#fairway/cli/hub-checks'
import { fw } from '../../support/fw'
import { registered } from '../../support/hub'
import { A2A_SECRET, EARLIER_A2A_SECRET, OTHER_A2A_SECRET } from '../../support/secrets'
import { borrowServer, freePort, type TestServer } from '../../support/server'
import { serve, type WebServer } from '../../support/web-server'

let hub: TestServer
/** The application's server. The check only requests its callback. */
let app: WebServer
let callbackStatus = 400
let env: Record<string, string>
beforeAll(async () => {
  app = await serve(async request => {
    const isCallback = new URL(request.url).pathname === '/_fw/identity/callback'
    return new Response('', { status: isCallback ? callbackStatus : 404 })
  })
  const registry = [
    registered('mail', app.origin),
    registered('calls', app.origin, { capabilities: ['a2a'] }),
    registered('moved', 'https://moved.example.com', { clientId: 'Moved', callbackPath: '/back' }),
  ]
  hub = await borrowServer({
    env: {
      A2A_SECRET,
      A2A_SECRET_PREVIOUS: EARLIER_A2A_SECRET,
      IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(registry),
    },
  })
  env = {
    NODE_ENV: 'test',
    BETTER_AUTH_SECRET: hub.secret,
    FW_BASE_URL: app.origin,
    FW_IDENTITY_HUB_URL: hub.origin,
    FW_APP_ID: 'mail',
    A2A_SECRET,
    AUTH_REQUIRE_EMAIL_VERIFICATION: '1',
    // There is no database; the check opens none.
    DATABASE_URL: 'http://127.0.0.1:9',
  }
})
afterAll(async () => {
  await hub.stop()
  await app.stop()
})

/** Runs the checks in this process; returns their results by name (true, false or null). The command adds the exit code. */
async function check(change: Record<string, string> = {}) {
  const settings = { ...env, ...change }
  const report = await hubReport(offlineApp(settings), settings.FW_IDENTITY_HUB_URL)
  const written = reportLines(report).join('\n')
  expect(written).not.toContain(A2A_SECRET)
  expect(written).not.toContain(EARLIER_A2A_SECRET)
  expect(written).not.toMatch(/eyJ/)
  const { status, text, checks } = report
  const results = Object.fromEntries(checks.map(({ name, isRight }) => [name, isRight]))
  const textOf = (name: string) => checks.find(each => each.name === name)?.text
  const todoOf = (name: string) => checks.find(each => each.name === name)?.todo
  return { status, text, results, textOf, todoOf }
}

const allRight = { hub: true, clock: true, secret: true, registration: true, callback: true }

describe('fw hub check', () => {
  it('reports that hub sign-in is off without FW_IDENTITY_HUB_URL', async () => {
    const { FW_IDENTITY_HUB_URL: _, ...without } = env
    const { code, out } = await fw(['hub', 'check'], without)
    expect([code, out]).toEqual([0, 'FW_IDENTITY_HUB_URL is not set: signing in through a hub is off.\n'])
  })

  it('reports success as text and as JSON', async () => {
    const { code, out } = await fw(['hub', 'check'], env)
    expect(out.split('\n')).toEqual([
      `✓ hub: ${hub.origin} is an identity hub`,
      '✓ clock: the clocks agree',
      '✓ secret: both sides accept what the other signs',
      `✓ registration: mail is registered with ${app.origin}/_fw/identity/callback`,
      `✓ callback: ${app.origin}/_fw/identity/callback answers`,
      'People can sign in through the hub.',
      '',
    ])
    expect(code).toBe(0)
    const json = await fw(['hub', 'check', '--json'], env)
    expect(JSON.parse(json.out)).toMatchObject({ status: 'ok', checks: Object.keys(allRight).map(name => ({ name })) })
  })

  it('names the setting that opens accounts before confirmation, without failing', async () => {
    const declared = await check({ AUTH_REQUIRE_EMAIL_VERIFICATION: '0' })
    expect(declared).toMatchObject({ status: 'ok', results: { ...allRight, addresses: null } })
    expect(declared.textOf('addresses')).toContain('AUTH_REQUIRE_EMAIL_VERIFICATION')
    expect(declared.todoOf('addresses')).toContain('/_fw/claim')
    const skipped = await check({ AUTH_REQUIRE_EMAIL_VERIFICATION: '', AUTH_SKIP_EMAIL_VERIFICATION: '1' })
    expect([skipped.status, skipped.textOf('addresses')]).toEqual([
      'ok',
      'accounts open here before their address is confirmed (AUTH_SKIP_EMAIL_VERIFICATION)',
    ])
    expect((await check()).results).toEqual(allRight)
  })

  it('names each difference in the registration with both values and the required entry', async () => {
    const unknown = await check({ FW_APP_ID: 'mial' })
    expect(unknown).toMatchObject({ status: 'failed', results: { ...allRight, registration: false } })
    expect(unknown.textOf('registration')).toBe('the application id mial is not registered')
    expect(unknown.todoOf('registration')).toContain(JSON.stringify(registered('mial', app.origin)))
    const client = await check({ FW_SSO_CLIENT_ID: 'Mail' })
    expect(client.textOf('registration')).toBe('the client id is Mail, and mail is registered')
    const moved = await check({ FW_APP_ID: 'moved' })
    expect(moved.textOf('registration')).toBe(
      `the client id is moved, and Moved is registered; the origin is ${app.origin}, and https://moved.example.com is registered; ` +
        'the callback path is /_fw/identity/callback, and /back is registered',
    )
    const calls = await check({ FW_APP_ID: 'calls' })
    expect(calls.textOf('registration')).toMatch(/ignores its entry for calls: capabilities: must contain identity-sso/)
  })

  it('detects a different secret', async () => {
    const other = await check({ A2A_SECRET: OTHER_A2A_SECRET })
    expect(other).toMatchObject({
      status: 'failed',
      results: { hub: true, clock: true, secret: false, registration: null },
    })
    expect(other.textOf('secret')).toMatch(/does not accept what this application signs/)
  })

  it('requires both directions to work while the secret is rotated', async () => {
    // The hub still accepts the earlier secret and already signs with the new one.
    const half = await check({ A2A_SECRET: EARLIER_A2A_SECRET })
    expect(half).toMatchObject({ status: 'failed', results: { ...allRight, secret: false } })
    expect(half.textOf('secret')).toMatch(/does not accept what the hub signs/)
    const both = await check({ A2A_SECRET: EARLIER_A2A_SECRET, A2A_SECRET_PREVIOUS: A2A_SECRET })
    expect(both).toMatchObject({ status: 'ok', results: allRight })
  })

  it('detects a missing secret and an invalid hub address', async () => {
    const missing = await check({ A2A_SECRET: '' })
    expect([missing.status, missing.text]).toEqual(['failed', 'A2A_SECRET: missing, so there is no identity hub'])
    const malformed = await check({ FW_IDENTITY_HUB_URL: 'http://hub.example.com' })
    expect([malformed.status, malformed.text]).toEqual([
      'failed',
      expect.stringMatching(/^FW_IDENTITY_HUB_URL: must be the origin/),
    ])
    const itself = await check({ FW_IDENTITY_HUB_URL: app.origin })
    expect([itself.status, itself.text]).toEqual(['off', expect.stringMatching(/it is the hub/)])
  })

  it('detects a hub address that is unreachable, another website or a redirect', async () => {
    const away = await check({ FW_IDENTITY_HUB_URL: `http://127.0.0.1:${await freePort()}` })
    const unknown = { clock: null, secret: null, registration: null }
    expect(away).toMatchObject({ status: 'failed', results: { hub: false, ...unknown, callback: true } })
    expect(away.textOf('hub')).toMatch(/does not answer: .*ECONNREFUSED/)
    const website = await serve(async () => new Response('<h1>Hello</h1>', { status: 200 }))
    const wrong = await check({ FW_IDENTITY_HUB_URL: website.origin })
    expect(wrong.textOf('hub')).toMatch(/is no identity hub \(200\)/)
    await website.stop()
    const elsewhere = await serve(
      async () => new Response('', { status: 301, headers: { location: 'https://hub.test/' } }),
    )
    const redirected = await check({ FW_IDENTITY_HUB_URL: elsewhere.origin })
    expect([redirected.results.hub, redirected.textOf('hub')]).toEqual([
      false,
      expect.stringMatching(/redirects to https:/),
    ])
    await elsewhere.stop()
  })

  it('reports a hub that hangs as failed within 20 seconds', async () => {
    const slow = await serve(() => new Promise(() => {}))
    const began = performance.now()
    const hanging = await check({ FW_IDENTITY_HUB_URL: slow.origin })
    expect(hanging).toMatchObject({ status: 'failed', results: { hub: false } })
    expect(performance.now() - began).toBeLessThan(20_000)
    await slow.stop()
  }, 30_000)

  it('detects a wrong clock', async () => {
    const headers = { date: new Date(Date.now() - 120_000).toUTCString() }
    const late = await serve(async () =>
      Response.json({ code: 'invalid-authorization-request' }, { status: 400, headers }),
    )
    const wrong = await check({ FW_IDENTITY_HUB_URL: late.origin })
    expect(wrong).toMatchObject({ status: 'failed', results: { hub: true, clock: false, secret: null } })
    expect(wrong.textOf('clock')).toMatch(/the clock of the hub is 1[12]\d s behind/)
    await late.stop()
  })

  it('detects a missing callback', async () => {
    callbackStatus = 404
    const off = await check()
    expect(off).toMatchObject({ status: 'failed', results: { ...allRight, callback: false } })
    expect(off.todoOf('callback')).toMatch(/switched off/)
    callbackStatus = 502
    expect((await check()).results.callback).toBe(false)
    callbackStatus = 400
    const away = await check({ FW_BASE_URL: 'http://127.0.0.1:9' })
    expect(away.results).toMatchObject({ registration: false, callback: false })
  })

  it('exits with 2 when the settings are invalid', async () => {
    const { code, out, err } = await fw(['hub', 'check'], { ...env, A2A_SECRET: 'short' })
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/A2A_SECRET: shorter than 32 characters/)])
  })
})

describe('fw hub check --as-hub', () => {
  const registry = (...entries: object[]) => ({ IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(entries) })

  it('prints the registry and each ignored entry', async () => {
    const good = registry(registered('mail', 'https://mail.example.com'))
    const right = await fw(['hub', 'check', '--as-hub'], { ...env, ...good })
    expect([right.code, right.out.split('\n')]).toEqual([
      0,
      [
        `${app.origin} is an identity hub for 1 application.`,
        '✓ mail: client mail, https://mail.example.com/_fw/identity/callback',
        '',
      ],
    ])
    const mixed = registry(
      registered('mail', 'https://mail.example.com'),
      registered('docs', 'http://docs.example.com'),
    )
    const { status, lines } = describeRegistry(offlineApp({ ...env, ...mixed }).config)
    expect([status, lines[1], lines[2]]).toEqual([
      'failed',
      expect.stringMatching(/^✓ mail: /),
      expect.stringMatching(/^✗ IDENTITY_SSO.*entry 2 \(docs\) is ignored: origin/),
    ])
  })

  it('accepts every local application in development and reports when there is no hub', () => {
    const development = describeRegistry(offlineApp({ ...env, NODE_ENV: 'development' }).config)
    expect(development).toMatchObject({ status: 'ok', apps: [], acceptsLoopback: true, notices: [] })
    const off = describeRegistry(offlineApp(env).config)
    expect([off.status, off.lines]).toEqual(['off', [expect.stringMatching(/is no identity hub/)]])
  })
})
