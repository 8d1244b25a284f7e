import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LinkedAccounts } from '#fairway/shared/schemas/account'
import { statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { readOutbox } from '../support/mail'
import { type OidcProvider, signInWithCorp, startOidcProvider } from '../support/provider-oidc'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const LINKED = '/_fw/linked-accounts'
const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

let corp: OidcProvider
let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let count = 0

beforeAll(async () => {
  corp = await startOidcProvider({ ...client, unverified: ['unproven@corp.test'] })
  const providers = [{ id: 'corp', name: 'Corp', issuer: corp.issuer, ...client }]
  // Without emailed links, a password or a provider can be the last sign-in method.
  server = await borrowServer({ env: { FW_OIDC_PROVIDERS: JSON.stringify(providers), AUTH_MAGIC_LINK: 'false' } })
  corp.allow(`${server.origin}/_fw/auth/callback/corp`)
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  await corp.stop()
})

const newAddress = () => `linked${++count}@corp.test`
const listOf = async (browser: TestBrowser): Promise<LinkedAccounts> => (await browser.get(LINKED)).json()
const begin = (browser: TestBrowser, returnPath = '/settings') =>
  browser.post(LINKED, { json: { provider: 'corp', returnPath } })

/** Goes to the provider and back; returns the address of the redirect. */
async function link(browser: TestBrowser, email: string, comingBack = browser): Promise<string> {
  const back = new URL(await corp.signIn((await (await begin(browser)).json()).url, email))
  return (await comingBack.get(back.pathname + back.search)).headers.get('location') ?? ''
}

const unlink = (browser: TestBrowser, id: string) => browser.request(`${LINKED}/${id}`, { method: 'DELETE' })
const eventsOf = async (userId: string) =>
  (await query(server, 'select kind from security_events where user_id = ? order by id', [userId])).map(
    ({ kind }) => kind,
  )

describe('Linking an account at a provider', () => {
  it('adds a sign-in method with another address for the same account', async () => {
    const ada = await world.person()
    const address = newAddress()
    expect(await listOf(ada.browser)).toEqual({ accounts: [], available: [{ id: 'corp', name: 'Corp' }] })
    expect(await link(ada.browser, address)).toBe('/settings?linked=corp')
    const { accounts } = await listOf(ada.browser)
    expect(accounts).toMatchObject([
      { provider: 'corp', name: 'Corp', email: address, lastUsedAt: null, isOffered: true },
    ])
    const elsewhere = createBrowser(server.origin)
    await signInWithCorp(corp, elsewhere, address)
    expect(await sessionOf(elsewhere)).toMatchObject({ userId: ada.userId, email: ada.email, provider: 'corp' })
    const [used] = (await listOf(ada.browser)).accounts
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(0)
    await expect.poll(() => eventsOf(ada.userId)).toContain('account-linked')
    await expect
      .poll(
        () => readOutbox(server.dataDir).filter(mail => mail.to === ada.email && /linked/.test(mail.subject)).length,
      )
      .toBe(1)
  })

  it('is rejected for an account or an address of another person, and changes nothing', async () => {
    const [ada, bob] = [await world.person(), await world.person()]
    const address = newAddress()
    await link(bob.browser, address)
    const refused = '/settings?link-failed=provider-account-mismatch'
    expect(await link(ada.browser, address)).toBe(refused)
    expect(await link(ada.browser, bob.email)).toBe(refused)
    expect((await listOf(ada.browser)).accounts).toEqual([])
    expect((await listOf(bob.browser)).accounts).toHaveLength(1)
  })

  it('is allowed when an unconfirmed sign-up already uses the address', async () => {
    const ada = await world.person()
    const squatter = await world.person({ verified: false })
    expect(await link(ada.browser, squatter.email)).toBe('/settings?linked=corp')
    expect((await listOf(ada.browser)).accounts).toHaveLength(1)
  })

  it('is rejected for an address that the provider has not verified', async () => {
    const ada = await world.person()
    expect(await link(ada.browser, 'unproven@corp.test')).toBe('/settings?link-failed=provider-email-not-verified')
    expect((await listOf(ada.browser)).accounts).toEqual([])
  })

  it('completes only in the session that started it', async () => {
    const [ada, bob] = [await world.person(), await world.person()]
    const first = new URL(await corp.signIn((await (await begin(ada.browser)).json()).url, newAddress()))
    await ada.browser.request('/_fw/session', { method: 'DELETE' })
    const gone = await ada.browser.get(first.pathname + first.search)
    expect(gone.headers.get('location')).toBe('/settings?link-failed=invalid-state')
    expect(await sessionOf(ada.browser)).toBeNull()
    await link(bob.browser, newAddress(), createBrowser(server.origin))
    expect((await listOf(bob.browser)).accounts).toEqual([])
  })

  it('returns 400 for an unknown provider', async () => {
    const ada = await world.person()
    const answer = await ada.browser.post(LINKED, { json: { provider: 'nobody' } })
    expect(await statusAndCode(answer)).toEqual([400, 'unknown-provider'])
  })
})

describe('unlinking an account', () => {
  it('removes the sign-in method and keeps the session', async () => {
    const ada = await world.person()
    await link(ada.browser, newAddress())
    const [account] = (await listOf(ada.browser)).accounts
    const stranger = await world.person()
    expect(await statusAndCode(await unlink(stranger.browser, account?.id ?? ''))).toEqual([404, 'not-found'])
    expect((await unlink(ada.browser, account?.id ?? '')).status).toBe(204)
    expect((await listOf(ada.browser)).accounts).toEqual([])
    expect(await sessionOf(ada.browser)).toMatchObject({ userId: ada.userId })
    expect(await statusAndCode(await unlink(ada.browser, account?.id ?? ''))).toEqual([404, 'not-found'])
    await expect.poll(() => eventsOf(ada.userId)).toContain('account-unlinked')
  })

  it('returns 409 for the last sign-in method until a password is set', async () => {
    const browser = createBrowser(server.origin)
    await signInWithCorp(corp, browser, newAddress())
    const [account] = (await listOf(browser)).accounts
    expect(await statusAndCode(await unlink(browser, account?.id ?? ''))).toEqual([409, 'last-way-in'])
    const set = await browser.post('/_fw/auth/set-password', { json: { newPassword: 'zebra quilt 7 lantern' } })
    expect(set.status).toBe(200)
    const again = await browser.post('/_fw/auth/set-password', { json: { newPassword: 'violet anchor 9 meadow' } })
    expect(await statusAndCode(again)).toEqual([409, 'password-exists'])
    expect((await unlink(browser, account?.id ?? '')).status).toBe(204)
    const { userId } = await sessionOf(browser)
    await expect.poll(() => eventsOf(String(userId))).toContain('password-set')
  })
})
