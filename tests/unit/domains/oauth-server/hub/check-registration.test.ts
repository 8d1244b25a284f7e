import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRegistration, describeDifference, REGISTRATION_SUBJECT } from '#fairway/server/domains/oauth-server'
import { requireHub } from '#fairway/server/domains/oauth-server/hub/registration'
import { readPeerToken, signPeerToken, verifyPeerToken } from '#fairway/server/domains/peers'
import { createTestApp, type TestApp } from '../../../../support/app'
import { registered } from '../../../../support/hub'
import { A2A_SECRET, OTHER_A2A_SECRET } from '../../../../support/secrets'

const HUB = 'https://hub.example.com'
const MAIL = 'https://mail.example.com'
const mail = { appId: 'mail', clientId: 'mail', redirectUri: `${MAIL}/_fw/identity/callback` }

let hub: TestApp
let app: TestApp
let stranger: TestApp
beforeAll(async () => {
  hub = await createTestApp({
    FW_BASE_URL: HUB,
    A2A_SECRET,
    IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify([
      registered('mail', MAIL),
      registered('calls', 'https://calls.example.com', { capabilities: ['a2a'] }),
      registered('odd', 'http://odd.example.com'),
    ]),
  })
  app = await createTestApp({ FW_BASE_URL: MAIL, A2A_SECRET })
  stranger = await createTestApp({ FW_BASE_URL: MAIL, A2A_SECRET: OTHER_A2A_SECRET })
})
afterAll(async () => {
  for (const each of [hub, app, stranger]) await each.close()
})

const token = (signer = app, audience = HUB, type: 'a2a+jwt' | 'identity+jwt' = 'a2a+jwt') =>
  signPeerToken(signer.app, { type, audience, subject: REGISTRATION_SUBJECT })

const check = async (claim: Partial<typeof mail>, bearer: string | undefined) =>
  checkRegistration(hub.app, requireHub(hub.app), { ...mail, ...claim, token: bearer, clientAddress: '192.0.2.1' })

describe('hub registration check', () => {
  it('confirms an exact registration, and signs the answer for the calling app', async () => {
    const answer = await check({}, await token())
    expect(answer).toEqual({ registered: true, differences: [], proof: expect.any(String) })
    const input = { type: 'a2a+jwt', audience: MAIL, issuer: HUB } as const
    expect(await readPeerToken(app.app, answer.proof, input)).toMatchObject({ sub: REGISTRATION_SUBJECT })
    await expect(readPeerToken(stranger.app, answer.proof, input)).rejects.toThrow('signed with another secret')
  })

  it.each([
    ['app', { appId: 'mial' }, 'the application id mial is not registered'],
    ['client_id', { clientId: 'Mail' }, 'the client id is Mail, and mail is registered'],
    [
      'origin',
      { redirectUri: 'https://mail.example.org/_fw/identity/callback' },
      'the origin is https://mail.example.org, and https://mail.example.com is registered',
    ],
    [
      'callback_path',
      { redirectUri: `${MAIL}/callback` },
      'the callback path is /callback, and /_fw/identity/callback is registered',
    ],
    [
      'redirect_uri',
      { redirectUri: `${MAIL}/_fw/identity/callback?a` },
      `the redirect address is ${MAIL}/_fw/identity/callback?a, and ${MAIL}/_fw/identity/callback is registered`,
    ],
    ['capability', { appId: 'calls' }, 'the hub ignores its entry for calls: capabilities: must contain identity-sso'],
    ['app', { appId: 'odd' }, expect.stringMatching(/^the hub ignores its entry for odd: origin/)],
  ])('names the difference: %s', async (field, claim, reason) => {
    const answer = await check(claim, await token())
    expect(answer).toMatchObject({ registered: false, reason, differences: [{ field }] })
  })

  it('names all differences', async () => {
    const { differences } = await check({ clientId: 'x', redirectUri: 'https://x.example/y' }, await token())
    expect(differences.map(({ field }) => field)).toEqual(['client_id', 'origin', 'callback_path'])
    expect(differences.map(describeDifference)).toHaveLength(3)
  })

  it.each([
    ['no token', async () => undefined],
    ['an empty one', async () => ''],
    ['something else', async () => 'a.b.c'],
    ['one signed with another secret', () => token(stranger)],
    ['one for somebody else', () => token(app, 'https://other.example.com')],
    ['one of another kind', () => token(app, HUB, 'identity+jwt')],
  ])('returns 401 for %s', async (_, make) => {
    await expect(check({}, await make())).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
  })

  it('accepts a token once', async () => {
    const bearer = await token()
    await check({}, bearer)
    await expect(check({}, bearer)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('readPeerToken', () => {
  it('does not use up the token', async () => {
    const bearer = await token()
    const input = { type: 'a2a+jwt', audience: HUB } as const
    await readPeerToken(hub.app, bearer, input)
    await readPeerToken(hub.app, bearer, input)
    expect(await verifyPeerToken(hub.app, bearer, input)).toMatchObject({ iss: MAIL })
  })
})
