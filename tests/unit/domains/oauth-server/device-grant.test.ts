import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  authorizationServerMetadata,
  purgeOAuth,
  registerClient,
} from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { GRANTS_PATH } from '#fairway/shared/paths'
import { createTestApp } from '../../../support/app'
import { makeClientKey } from '../../../support/client-assertion'
import { DEVICE_ENDPOINT, DEVICE_GRANT, decideDevice, startDevice } from '../../../support/device-grant'
import { refusalOf } from '../../../support/error-code'
import { createBrowser, sessionOf } from '../../../support/http'
import { borrowServer, type TestServer } from '../../../support/server'
import { instanceBeside, postForm, renewal } from '../../../support/oauth-grant'
import { formOf, registeredClient, WEB_REDIRECT } from '../../../support/oauth-host'
import { countRows, query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let beside: App
let ada: TeamPerson

beforeAll(async () => {
  server = await borrowServer()
  world = createTeamWorld(server)
  beside = await instanceBeside(server)
  ada = await world.person({ name: 'Ada' })
})
afterAll(async () => {
  await beside.db.close()
  await server.stop()
})

type Device = Awaited<ReturnType<typeof startDevice>>

const start = (fields?: Record<string, string>, clientId?: string) => startDevice(server.origin, fields, clientId)
const outcome = async (device: Device, differing?: Record<string, string>) => {
  const { status, body } = await device.poll(differing)
  return status === 200 ? 'tokens' : `${status} ${body.error}`
}

/** Moves the latest request of a device into the past. */
const wait = (seconds: number) =>
  query(
    server,
    `update fw_device_codes set polled_at = polled_at - ?1, expires_at = expires_at - ?1
      where rowid = (select max(rowid) from fw_device_codes)`,
    [seconds * 1000],
  )

const pageOf = async (answer: Response) => ({ status: answer.status, html: await answer.text() })
const open = async (path: string, { browser } = ada) => pageOf(await browser.get(path))
const WRONG = 'This code isn’t valid'

describe('POST /mcp/oauth/device', () => {
  it('returns the codes of RFC 8628 and stores their hashes only', async () => {
    const { codes } = await start()
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${server.origin}/device`,
      verification_uri_complete: `${server.origin}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    const rows = JSON.stringify(await query(server, 'select * from fw_device_codes'))
    expect(rows).not.toContain(codes.device_code)
    expect(rows).not.toContain(codes.user_code.replace('-', ''))
  })

  it.each<[string, Record<string, string>, string]>([
    ['no client', { client_id: '' }, '400 invalid_request'],
    ['an unknown client', { client_id: 'nobody' }, '401 invalid_client'],
    ['a resource of another server', { resource: 'https://other.example/mcp' }, '400 invalid_target'],
    ['a secret', { client_secret: 'x' }, '401 invalid_client'],
  ])('refuses %s', async (_what, differing, expected) => {
    const { clientId } = await start()
    const answer = await postForm(server.origin + DEVICE_ENDPOINT, { client_id: clientId, ...differing })
    expect(`${answer.status} ${(await answer.json()).error}`).toBe(expected)
    expect([answer.headers.get('cache-control'), answer.headers.get('access-control-allow-origin')]).toEqual([
      'no-store',
      '*',
    ])
  })

  it('refuses a client that has not registered the grant type, and one that must sign and does not', async () => {
    const plain = await registeredClient(server.origin)
    const signing = await registeredClient(server.origin, {
      grant_types: [DEVICE_GRANT],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [(await makeClientKey('ES256')).jwk] },
    })
    const ask = async (id: string) => (await postForm(server.origin + DEVICE_ENDPOINT, { client_id: id })).json()
    expect([(await ask(plain)).error, (await ask(signing)).error]).toEqual(['unauthorized_client', 'invalid_client'])
  })

  it('needs no redirect address from a client that registers for devices alone', async () => {
    const metadata = { client_name: 'Screen', grant_types: [DEVICE_GRANT], redirect_uris: undefined }
    expect(await registeredClient(server.origin, metadata)).toBeTruthy()
    await expect(registeredClient(server.origin, { redirect_uris: undefined })).rejects.toThrow('redirect_uris')
  })
})

describe('the token endpoint for a device code', () => {
  it('asks a device that polls too early to wait five seconds longer, for good', async () => {
    const device = await start()
    const polls: string[] = []
    for (const seconds of [0, 1, 6, 11, 16]) {
      await wait(seconds)
      polls.push(await outcome(device))
    }
    const [pending, slow] = ['400 authorization_pending', '400 slow_down']
    // The intervals are 5, 10, 15, 20 and 25 seconds.
    expect(polls).toEqual([pending, slow, slow, slow, slow])
    await wait(26)
    expect(await outcome(device)).toBe(pending)
  })

  it.each<[string, (device: Device) => Promise<unknown>, Record<string, string>, string]>([
    ['access_denied after a refusal', ({ page }) => decideDevice(ada.browser, page, 'deny'), {}, '400 access_denied'],
    ['expired_token after ten minutes', () => wait(601), {}, '400 expired_token'],
    [
      'expired_token for an approval that came and ended',
      async ({ page }) => {
        await decideDevice(ada.browser, page)
        await wait(601)
      },
      {},
      '400 expired_token',
    ],
    [
      'invalid_client to an unknown client',
      ({ page }) => decideDevice(ada.browser, page),
      { client_id: 'another' },
      '401 invalid_client',
    ],
    ['invalid_grant for an unknown code', async () => {}, { device_code: 'x' }, '400 invalid_grant'],
    ['invalid_request without a code', async () => {}, { device_code: '' }, '400 invalid_request'],
    ['invalid_target for another server', async () => {}, { resource: 'https://other.example' }, '400 invalid_target'],
    [
      'access_denied when the connection was ended before',
      async ({ page }) => {
        await decideDevice(ada.browser, page)
        await query(server, `update oauth_grants set revoked_at = 1 where id = (select max(id) from oauth_grants)`)
      },
      {},
      '400 access_denied',
    ],
  ])('returns %s', async (_what, happens, differing, expected) => {
    const device = await start()
    await happens(device)
    expect(await outcome(device, differing)).toBe(expected)
  })

  it('returns tokens once, of many polls at the same time', async () => {
    const device = await start({ scope: 'mcp:read offline_access' })
    await decideDevice(ada.browser, device.page)
    const all = await Promise.all(Array.from({ length: 20 }, () => outcome(device)))
    expect(all.toSorted()).toEqual([...Array(19).fill('400 invalid_grant'), 'tokens'])
    expect(await outcome(device)).toBe('400 invalid_grant')
  })

  it('makes an ordinary connection: it renews, is listed, audited, and ends like any other', async () => {
    const bob = await world.person({ name: 'Bob' })
    const device = await start({ scope: 'mcp:read mcp:write offline_access', resource: `${server.origin}/mcp` })
    expect(await outcome(device)).toBe('400 authorization_pending')
    const decided = await pageOf(await decideDevice(bob.browser, device.page))
    expect(decided).toEqual({ status: 200, html: expect.stringContaining('The device is connected') })
    const { body } = await device.poll()
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'mcp:read mcp:write offline_access' })
    expect(body).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
    const isLive = async () => (await authenticateAccessToken(beside, body.access_token)) !== null
    expect(await isLive()).toBe(true)

    const { grants } = await (await bob.browser.get(GRANTS_PATH)).json()
    expect(grants[0]).toMatchObject({ clientName: 'Terminal', clientId: device.clientId })
    const { orgId } = await sessionOf(bob.browser)
    const rows = await query(
      server,
      `select org_id, user_email, input from audit_log where action = 'connect-device' order by id desc`,
    )
    expect(rows[0]).toMatchObject({ org_id: orgId, user_email: bob.email })
    expect(JSON.parse(String(rows[0]?.input))).toMatchObject({ app: 'Terminal', askedFrom: '127.0.0.1' })

    const renew = (token: string) => postForm(`${server.origin}/mcp/oauth/token`, renewal(token, device.clientId))
    const next = await (await renew(body.refresh_token)).json()
    expect(next.refresh_token).not.toBe(body.refresh_token)
    expect((await bob.browser.request(`${GRANTS_PATH}/${grants[0].id}`, { method: 'DELETE' })).ok).toBe(true)
    expect([await isLive(), (await renew(next.refresh_token)).status]).toEqual([false, 400])
  })
})

describe('/device', () => {
  it('leads a signed-out person through the sign-in and back, before it looks a code up', async () => {
    const { page } = await start()
    for (const path of [page, '/device?user_code=BBBB-BBBB', '/device']) {
      const answer = await createBrowser(server.origin).get(path)
      const location = new URL(answer.headers.get('location') ?? '', server.origin)
      expect([answer.status, location.pathname, location.searchParams.get('return')]).toEqual([302, '/sign-in', path])
    }
  })

  it.each<[string, (code: string) => string]>([
    ['as shown', code => code],
    ['in lower case without the hyphen', code => code.replace('-', '').toLowerCase()],
    ['with spaces and other hyphens', code => ` ${code.replace('-', ' – ')} .`],
  ])('accepts a code %s, and approves at that address', async (_how, spelling) => {
    const device = await start()
    const path = `/device?user_code=${encodeURIComponent(spelling(device.codes.user_code))}`
    await decideDevice(ada.browser, path)
    expect(await outcome(device)).toBe('tokens')
  })

  it('shows the warning, the code to compare, the network that asked, the scopes and the organization', async () => {
    const { page, codes } = await start({ scope: 'mcp:read' })
    const { status, html } = await open(page)
    const { orgName } = await sessionOf(ada.browser)
    for (const text of [
      'Only continue if you started this yourself',
      codes.user_code,
      '127.0.0.1',
      'the network you use now',
      String(orgName).replace("'", '&#39;'),
    ])
      expect(html).toContain(text)
    expect([status, html.indexOf('value="approve"') < html.indexOf('value="deny"')]).toEqual([200, true])
    expect(html).not.toContain('mcp:write')
    await query(server, `update fw_device_codes set asked_from = '203.0.113.9'`)
    const other = (await open(page)).html
    expect(other).toContain('another network address than yours')
    expect(other.indexOf('value="deny"')).toBeLessThan(other.indexOf('value="approve"'))
  })

  it.each<[string, (device: Device) => Promise<unknown>]>([
    [
      'unknown',
      async ({ page }) =>
        query(server, `update fw_device_codes set user_code_hash = 'x' || rowid where ? <> ''`, [page]),
    ],
    ['expired', () => wait(601)],
    ['refused', ({ page }) => decideDevice(ada.browser, page, 'deny')],
    ['approved', ({ page }) => decideDevice(ada.browser, page)],
  ])('says that a code is not valid when it is %s', async (_state, happens) => {
    const device = await start()
    await happens(device)
    expect(await open(device.page)).toEqual({ status: 400, html: expect.stringContaining(WRONG) })
  })

  it.each(['x', 'BCDF-GHJ', 'BCDF-GHJK-L', '<script>alert(1)</script>', '1234-5678'])(
    'refuses the code %s',
    async code => {
      const { status, html } = await open(`/device?user_code=${encodeURIComponent(code)}`)
      expect([status, html]).toEqual([400, expect.stringContaining(WRONG)])
      expect(html).not.toContain('<script>alert')
    },
  )

  it('lets one person decide, once, of two who were shown the code', async () => {
    const device = await start()
    const grace = await world.person()
    const before = await countRows(server, 'oauth_grants')
    const shown = await Promise.all([ada, grace].map(async who => formOf((await open(device.page, who)).html)))
    const decide = async (who: TeamPerson, form?: Record<string, string>) =>
      (await who.browser.post(device.page, { form: { ...form, decision: 'approve' } })).status
    expect([await decide(grace, shown[1]), await decide(ada, shown[0]), await decide(grace, shown[1])]).toEqual([
      200, 410, 400,
    ])
    const { body } = await device.poll()
    expect((await authenticateAccessToken(beside, body.access_token))?.session.userId).toBe(grace.userId)
    expect(await countRows(server, 'oauth_grants')).toBe(before + 1)
  })

  it('keeps the sign-in rule of the organization', async () => {
    const grace = await world.person()
    const { orgId } = await sessionOf(grace.browser)
    const device = await start()
    const form = formOf((await open(device.page, grace)).html)
    await query(server, `update organizations set required_auth_provider = 'corp' where id = ?`, [orgId])
    expect(await open(device.page, grace)).toEqual({ status: 403, html: expect.stringContaining('provider-required') })
    const decided = await pageOf(await grace.browser.post(device.page, { form: { ...form, decision: 'approve' } }))
    expect(decided.html).toContain('The device was not connected')
    expect(await outcome(device)).toBe('400 access_denied')
  })

  it('limits wrong codes per network and for the installation, but no right ones', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on', FW_TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const person = await createTeamWorld(limited).person()
      const device = await startDevice(limited.origin)
      const tryFrom = async (address: string, path = '/device?user_code=BBBB-BBBB') =>
        (await person.browser.get(path, { headers: { 'x-forwarded-for': address } })).status
      const statuses = async (times: number, address: string, path?: string) => {
        const all: number[] = []
        for (let n = 0; n < times; n++) all.push(await tryFrom(address, path))
        return [...new Set(all)]
      }
      expect(await statuses(12, '192.0.2.1', device.page)).toEqual([200])
      expect(await statuses(10, '192.0.2.1')).toEqual([400])
      expect(await tryFrom('192.0.2.1', device.page)).toBe(429)
      for (let network = 2; network <= 30; network++) await statuses(10, `192.0.2.${network}`)
      expect(await tryFrom('198.51.100.1')).toBe(429)
      expect(await countRows(limited, `security_events where kind = 'device-codes-limited'`)).toBe(2)
    } finally {
      await limited.stop()
    }
  })
})

describe('mcp.deviceSignIn: false', () => {
  it('takes the grant out of the metadata and the token endpoint', async () => {
    const test = await createTestApp({}, { mcp: { deviceSignIn: false } })
    const metadata = await authorizationServerMetadata(test.app)
    expect([metadata.grant_types_supported.includes(DEVICE_GRANT), metadata.device_authorization_endpoint]).toEqual([
      false,
      undefined,
    ])
    const { client_id } = await registerClient(test.app, { redirect_uris: [WEB_REDIRECT] }, '127.0.0.1')
    const form = { grant_type: DEVICE_GRANT, client_id, device_code: 'x' }
    expect(await refusalOf(answerTokenRequest(test.app, { form }))).toBe('unsupported_grant_type')
    await test.close()
  })
})

describe('purgeOAuth for devices', () => {
  it('deletes codes an hour after their end', async () => {
    await start()
    const after = (seconds: number): App => ({ ...beside, now: () => new Date(Date.now() + seconds * 1000) })
    const rows = await countRows(server, 'fw_device_codes')
    await purgeOAuth(after(3600))
    expect(await countRows(server, 'fw_device_codes')).toBeGreaterThan(0)
    await purgeOAuth(after(4201))
    expect([rows > 0, await countRows(server, 'fw_device_codes')]).toEqual([true, 0])
  })
})
