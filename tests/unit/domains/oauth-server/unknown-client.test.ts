import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  registerClient,
  revokeToken,
} from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { createCodeVerifier } from '#fairway/server/kernel/crypto/random'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { approve, REDIRECT_URI, renewal } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const UNKNOWN = '0199a1b2-0000-7000-8000-000000000000'
let test: TestApp
let app: App
let owner: Session
let clientId: string
let another: string

const registered = async (name: string) =>
  (await registerClient(app, { client_name: name, redirect_uris: [REDIRECT_URI] }, '203.0.113.7')).client_id

async function start(env: Record<string, string> = {}) {
  test = await createTestApp(env)
  app = test.app
  owner = await aMember(app)
  clientId = await registered('Host')
  another = await registered('Another')
}
beforeEach(() => start())
afterEach(() => test.close())

const basic = (id: string) => `Basic ${btoa(`${encodeURIComponent(id)}:`)}`
const token = (form: Record<string, string>, authorization?: string) => answerTokenRequest(app, { form, authorization })
const connected = async () => token(await approve(app, owner, { clientId }))
const isLive = async (accessToken: string) => (await authenticateAccessToken(app, accessToken)) !== null
const UNKNOWN_CLIENT = { error: 'invalid_client', status: 401, headers: {} }

describe('token endpoint', () => {
  const code = () => ({
    grant_type: 'authorization_code',
    client_id: UNKNOWN,
    code: 'lost',
    redirect_uri: REDIRECT_URI,
    code_verifier: createCodeVerifier(),
  })

  it('returns 401 invalid_client to a client it does not know, for a code and for a refresh token', async () => {
    await expect(token(code())).rejects.toMatchObject(UNKNOWN_CLIENT)
    await expect(token(renewal('lost', UNKNOWN))).rejects.toMatchObject(UNKNOWN_CLIENT)
  })

  it.each([
    ['a malformed verifier', { code_verifier: 'x' }],
    ['no code', { code: '' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
  ])('returns 401 invalid_client to an unknown client that sends %s', async (_what, change) => {
    await expect(token({ ...code(), ...change })).rejects.toMatchObject(UNKNOWN_CLIENT)
  })

  it('names the scheme in WWW-Authenticate when an unknown client sends an Authorization header', async () => {
    const { client_id: _unsent, ...form } = code()
    await expect(token(form, basic(UNKNOWN))).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="oauth"' },
    })
  })

  it('returns 400 invalid_grant to a known client with another client’s code, which stays usable', async () => {
    const form = await approve(app, owner, { clientId })
    for (const foreign of [form.code, 'lost'])
      await expect(token({ ...form, code: foreign, client_id: another })).rejects.toMatchObject({
        error: 'invalid_grant',
        status: 400,
      })
    expect(await refusalOf(token(form))).toBe('done')
  })

  it('returns invalid_client to an unknown client with another client’s refresh token, which stays usable', async () => {
    const first = await connected()
    expect(await refusalOf(token(renewal(first.refresh_token, another)))).toBe('invalid_grant')
    expect(await refusalOf(token(renewal(first.refresh_token, UNKNOWN)))).toBe('invalid_client')
    expect(await refusalOf(token(renewal(first.refresh_token, clientId)))).toBe('done')
  })

  it('renews a live connection whose registration is lost, and returns invalid_client once the connection ended', async () => {
    const first = await connected()
    await query(app, 'delete from oauth_clients where id = ?', [clientId])
    const second = await token(renewal(first.refresh_token, clientId))
    await query(app, 'update oauth_grants set revoked_at = ?', [Date.now()])
    expect(await refusalOf(token(renewal(second.refresh_token, clientId)))).toBe('invalid_client')
  })

  it.each([
    ['auto', 'https://host.example.com/client.json', 'invalid_grant'],
    ['off', 'https://host.example.com/client.json', 'invalid_client'],
    ['auto', 'http://host.example.com/client.json', 'invalid_client'],
    ['auto', 'urn:x:y', 'invalid_client'],
  ])('with FW_CLIENT_DOCUMENTS=%s and the client_id %s returns %s', async (setting, id, error) => {
    await test.close()
    await start({ FW_CLIENT_DOCUMENTS: setting })
    expect(await refusalOf(token(renewal('lost', id)))).toBe(error)
    expect(await refusalOf(token({ ...code(), client_id: id }))).toBe(error)
  })
})

describe('revocation endpoint', () => {
  const revoke = (form: Record<string, string>, authorization?: string) => revokeToken(app, { form, authorization })

  it('returns 401 invalid_client to a client it does not know, and the token stays valid', async () => {
    const { access_token: access } = await connected()
    for (const sent of [access, 'lost'])
      await expect(revoke({ token: sent, client_id: UNKNOWN })).rejects.toMatchObject(UNKNOWN_CLIENT)
    await expect(revoke({ token: access }, basic(UNKNOWN))).rejects.toMatchObject({
      error: 'invalid_client',
      headers: { 'www-authenticate': 'Basic realm="oauth"' },
    })
    expect(await isLive(access)).toBe(true)
  })

  it('accepts an unknown token and another client’s token from a known client, and revokes nothing', async () => {
    const { access_token: access } = await connected()
    for (const sent of [access, 'lost'])
      expect(await refusalOf(revoke({ token: sent, client_id: another }))).toBe('done')
    expect(await isLive(access)).toBe(true)
  })

  it('revokes the connection of a client whose registration is lost', async () => {
    const { access_token: access } = await connected()
    await query(app, 'delete from oauth_clients where id = ?', [clientId])
    expect(await refusalOf(revoke({ token: access, client_id: clientId }))).toBe('done')
    expect(await isLive(access)).toBe(false)
  })
})
