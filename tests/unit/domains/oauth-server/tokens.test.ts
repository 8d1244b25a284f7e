import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  makePersonalToken,
  oauthSealedColumns,
  revokeToken,
} from '#fairway/server/domains/oauth-server'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { reseal } from '#fairway/server/kernel/crypto/reseal'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember } from '../../../support/members'
import { approve, CLIENT_ID, renewal } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { OTHER_SECRET, SECRET } from '../../../support/secrets'

/** A client that this server knows. */
const ANOTHER = 'https://another.example.com/client.json'
/** Any reuse of a refresh token ends its connection. */
const STRICT = { FW_REFRESH_REPLAY_WINDOW: '0' }
let test: TestApp
let app: App
let owner: Session

beforeEach(async () => {
  test = await createTestApp()
  app = test.app
  owner = await aMember(app)
})
afterEach(() => test.close())
const token = (form: Record<string, string>, on: App = app) => answerTokenRequest(on, { form })
const later = (seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })
/** Returns the Authorization header of a client with an empty secret (RFC 6749 §2.3.1). */
const basic = (clientId: string) => `Basic ${btoa(`${encodeURIComponent(clientId).replaceAll('%20', '+')}:`)}`
const isLive = async (accessToken: string, on: App = app) => (await authenticateAccessToken(on, accessToken)) !== null

describe('authorization code', () => {
  it('returns a refresh token, and an access token with account, organization, client and scope', async () => {
    const answer = await token(await approve(app, owner))
    expect(answer).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'mcp:read mcp:write offline_access',
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(decodeProtectedHeader(answer.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    const claims = decodeJwt(answer.access_token)
    expect(claims).toMatchObject({
      iss: app.config.baseUrl,
      aud: `${app.config.baseUrl}/mcp`,
      sub: owner.userId,
      email: owner.email,
      org_id: owner.orgId,
      client_id: CLIENT_ID,
      scope: 'mcp:read mcp:write offline_access',
    })
    expect(Object.keys(claims).toSorted()).toEqual(
      ['iss', 'sub', 'email', 'org_id', 'client_id', 'scope', 'aud', 'jti', 'iat', 'exp', 'grant_id'].toSorted(),
    )
  })

  it.each(['60', '900'])('returns an access token of %s seconds when configured', async life => {
    await test.close()
    test = await createTestApp({ FW_ACCESS_TOKEN_LIFETIME: life })
    app = test.app
    owner = await aMember(app)
    const seconds = Number(life)
    for (const scope of [undefined, ['mcp:read'] as const]) {
      const answer = await token(await approve(app, owner, { scope, clientId: `of ${scope}` }))
      const { iat = 0, exp = 0 } = decodeJwt(answer.access_token)
      expect([answer.expires_in, exp - iat]).toEqual([seconds, seconds])
      expect(await isLive(answer.access_token, later(seconds - 2))).toBe(true)
      expect(await isLive(answer.access_token, later(seconds + 1))).toBe(false)
    }
  })

  it('returns no refresh token without offline_access', async () => {
    const answer = await token(await approve(app, owner, { scope: ['mcp:read'] }))
    expect(answer).toMatchObject({ scope: 'mcp:read', expires_in: 3600 })
    expect(answer).not.toHaveProperty('refresh_token')
    expect(await query(app, 'select hash from oauth_refresh_tokens')).toEqual([])
  })

  const isUsable = async (answer: Awaited<ReturnType<typeof token>>) =>
    (await isLive(answer.access_token)) && (await refusalOf(token(renewal(answer.refresh_token)))) === 'done'

  it('is refused without ending the connection when its client repeats the exchange within ten seconds', async () => {
    for (const seconds of [0, 9, -2]) {
      const form = await approve(app, owner, { clientId: `${CLIENT_ID}?${seconds}` })
      const answer = await token(form)
      expect(await refusalOf(token(form, later(seconds)))).toBe('invalid_grant')
      expect(await isLive(answer.access_token)).toBe(true)
      expect(await refusalOf(token(renewal(answer.refresh_token, form.client_id)))).toBe('done')
    }
    expect(await query(app, 'select kind from security_events')).toEqual([])
    expect(test.lines()).toContainEqual(
      expect.objectContaining({ message: 'a code was exchanged again within seconds', userId: owner.userId }),
    )
  })

  it.each<[string, number, Record<string, string>]>([
    ['its client after eleven seconds', 11, {}],
    ['another client', 0, { client_id: ANOTHER }],
    ['its client with a wrong verifier', 0, { code_verifier: 'x'.repeat(43) }],
    ['its client with another redirect address', 0, { redirect_uri: 'http://127.0.0.1:51235/callback' }],
  ])('revokes its own tokens, but no others, when it is used again by %s', async (_who, seconds, change) => {
    const other = await token(await approve(app, owner, { clientId: ANOTHER }))
    const form = await approve(app, owner)
    const answer = await token(form)
    expect(await refusalOf(token({ ...form, ...change }, later(seconds)))).toBe('invalid_grant')
    expect(await isUsable(answer)).toBe(false)
    expect(await isLive(other.access_token)).toBe(true)
    expect(await query(app, 'select kind, subject, user_id as userId, reason from security_events')).toEqual([
      {
        kind: 'code-replayed',
        subject: CLIENT_ID,
        userId: owner.userId,
        reason: expect.stringMatching(/its connection has ended$/),
      },
    ])
  })

  it('is used up by a wrong verifier', async () => {
    const form = await approve(app, owner)
    expect(await refusalOf(token({ ...form, code_verifier: 'x'.repeat(43) }))).toBe('invalid_grant')
    expect(await refusalOf(token(form))).toBe('invalid_grant')
  })

  it.each([
    ['client', { client_id: ANOTHER }],
    ['redirect address', { redirect_uri: 'http://127.0.0.1:51235/callback' }],
  ])('is not used up by a wrong %s', async (_name, change) => {
    const form = await approve(app, owner)
    expect(await refusalOf(token({ ...form, ...change }))).toBe('invalid_grant')
    expect(await refusalOf(token(form))).toBe('done')
  })

  it('expires after a minute', async () => {
    const form = await approve(app, owner)
    expect(await refusalOf(token(form, later(61)))).toBe('invalid_grant')
    expect(await refusalOf(token(form, later(59)))).toBe('done')
  })

  it.each([
    ['grant_type', 'invalid_request'],
    ['client_id', 'invalid_request'],
    ['code', 'invalid_request'],
    ['redirect_uri', 'invalid_request'],
    ['code_verifier', 'invalid_request'],
  ])('without %s returns %s and is not used up', async (name, error) => {
    const form = await approve(app, owner)
    expect(await refusalOf(token({ ...form, [name]: '' }))).toBe(error)
    expect(await refusalOf(token(form))).toBe('done')
  })

  it('returns invalid_target for another resource than this server', async () => {
    const form = await approve(app, owner)
    const { host } = new URL(app.config.baseUrl)
    for (const resource of ['https://other.example/mcp', `https://${host}.evil.example/mcp`, 'urn:mcp', 'mcp', host])
      expect(await refusalOf(token({ ...form, resource }))).toBe('invalid_target')
    expect(await refusalOf(token({ ...form, resource: `${app.config.baseUrl}/mcp` }))).toBe('done')
  })

  it.each(['', '/', '/mcp/', '/mcp/oauth', '/other?x=1'])(
    'returns a token for exactly the MCP endpoint when the resource is our own %j',
    async path => {
      const form = { ...(await approve(app, owner)), resource: app.config.baseUrl + path }
      const { access_token: accessToken } = await token(form)
      expect(decodeJwt(accessToken).aud).toBe(`${app.config.baseUrl}/mcp`)
    },
  )

  it('returns invalid_grant when the member was removed before the exchange', async () => {
    const member = await aMember(app)
    await addTo(app, owner, member, 'member')
    const form = await approve(app, { ...member, orgId: owner.orgId })
    await query(app, 'delete from org_members where user_id = ? and org_id = ?', [member.userId, owner.orgId])
    expect(await refusalOf(token(form))).toBe('invalid_grant')
  })

  it('is not issued to an account that is not a member', async () => {
    const stranger = await aMember(app)
    expect(await refusalOf(approve(app, { ...stranger, orgId: owner.orgId }))).toBe('access_denied')
    expect(await query(app, 'select id from oauth_grants')).toEqual([])
    expect(await query(app, 'select hash from oauth_codes')).toEqual([])
  })
})

describe('OAuth client', () => {
  it.each([
    ['a secret', { client_secret: 'x' }, undefined],
    ['an assertion', { client_assertion: 'x' }, undefined],
    ['a header', {}, 'Basic YTpi'],
    ['a header that holds no pair', {}, 'Basic YQ=='],
    ['a header that is not base64', {}, 'Basic ?'],
    ['a header without a name', {}, 'Basic Og=='],
    ['a header whose escapes are broken', {}, `Basic ${btoa('%zz:')}`],
    ['a header of another scheme', {}, 'Bearer x'],
  ])('that sends %s is rejected, because it has no secret', async (_name, more, authorization) => {
    const form = { ...(await approve(app, owner)), ...more }
    const refused = answerTokenRequest(app, { form: form as Record<string, string>, authorization })
    await expect(refused).rejects.toMatchObject({ error: 'invalid_client', status: 401 })
  })

  it.each(['0199a1b2-0000-7000-8000-000000000000', 'a name: with %, + and ä', CLIENT_ID])(
    'named %j in a header with an empty secret is accepted as a public client',
    async clientId => {
      const { client_id: _unsent, ...form } = await approve(app, owner, { clientId })
      const answer = await answerTokenRequest(app, { form, authorization: basic(clientId) })
      expect(decodeJwt(answer.access_token).client_id).toBe(clientId)
    },
  )

  it('with one id in a header and another in the form is rejected, and its code stays valid', async () => {
    const form = await approve(app, owner)
    const mixed = answerTokenRequest(app, { form, authorization: basic(ANOTHER) })
    await expect(mixed).rejects.toMatchObject({ error: 'invalid_request', status: 400 })
    expect(await refusalOf(answerTokenRequest(app, { form, authorization: basic(CLIENT_ID) }))).toBe('done')
  })

  it('with an empty secret in a header can revoke its own connection, but not that of others', async () => {
    const answer = await token(await approve(app, owner))
    const form = { token: answer.refresh_token ?? '' }
    await revokeToken(app, { form, authorization: basic(ANOTHER) })
    expect(await isLive(answer.access_token)).toBe(true)
    await revokeToken(app, { form, authorization: basic(CLIENT_ID) })
    expect(await isLive(answer.access_token)).toBe(false)
  })

  it('gets unsupported_grant_type for another grant type', async () => {
    expect(await refusalOf(token({ grant_type: 'password', client_id: 'x' }))).toBe('unsupported_grant_type')
  })
})

describe('refresh token', () => {
  const connected = async () => token(await approve(app, owner))
  const restart = async (env: Record<string, string>) => {
    await test.close()
    test = await createTestApp(env)
    app = test.app
    owner = await aMember(app)
  }

  it('is replaced on every use', async () => {
    const first = await connected()
    const second = await token(renewal(first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const third = await token(renewal(second.refresh_token))
    expect(third.scope).toBe('mcp:read mcp:write offline_access')
    expect(await isLive(third.access_token)).toBe(true)
  })

  it('ends the connection when it is used again, and the log names client, account and age', async () => {
    await restart(STRICT)
    const first = await connected()
    const second = await token(renewal(first.refresh_token))
    expect(await refusalOf(token(renewal(first.refresh_token)))).toBe('invalid_grant')
    expect(await refusalOf(token(renewal(second.refresh_token)))).toBe('invalid_grant')
    expect(await isLive(second.access_token)).toBe(false)
    expect(test.lines()).toContainEqual(
      expect.objectContaining({
        kind: 'refresh-token-replayed',
        subject: CLIENT_ID,
        userId: owner.userId,
        reason: expect.stringMatching(/^used again after \d+ s;/),
      }),
    )
  })

  it('ends the connection when it is used again, even by a server whose clock is behind', async () => {
    await restart(STRICT)
    const first = await connected()
    const second = await token(renewal(first.refresh_token))
    expect(await refusalOf(token(renewal(first.refresh_token), later(-5)))).toBe('invalid_grant')
    expect(await isLive(second.access_token)).toBe(false)
  })

  it('is rejected from another client and stays valid', async () => {
    const first = await connected()
    expect(await refusalOf(token(renewal(first.refresh_token, ANOTHER)))).toBe('invalid_grant')
    expect(await refusalOf(token(renewal(first.refresh_token)))).toBe('done')
  })

  it('can narrow the scope for one answer, but never widen it', async () => {
    const first = await connected()
    const narrow = await token({ ...renewal(first.refresh_token), scope: 'mcp:read' })
    expect([narrow.scope, decodeJwt(narrow.access_token).scope]).toEqual(['mcp:read', 'mcp:read'])
    expect((await authenticateAccessToken(app, narrow.access_token))?.scopes).toEqual(new Set(['mcp:read']))
    expect(await refusalOf(token({ ...renewal(narrow.refresh_token), scope: 'mcp:read mcp:apps' }))).toBe(
      'invalid_scope',
    )
    const wide = await token(renewal(narrow.refresh_token))
    expect(wide.scope).toBe('mcp:read mcp:write offline_access')
  })

  it('returns and names all approved scopes when a refresh names none of ours', async () => {
    let refreshToken = (await connected()).refresh_token
    for (const scope of ['openid profile email', 'openid offline_access', 'openid mcp:read mcp:write']) {
      const answer = await token({ ...renewal(refreshToken), scope })
      expect(answer.scope).toBe(scope.endsWith('write') ? 'mcp:read mcp:write' : 'mcp:read mcp:write offline_access')
      refreshToken = answer.refresh_token
    }
  })

  it('expires after 30 days without use, and after 90 days in any case', async () => {
    const DAY = 24 * 60 * 60
    const first = await connected()
    expect(await refusalOf(token(renewal(first.refresh_token), later(30 * DAY + 1)))).toBe('invalid_grant')
    let refreshToken = first.refresh_token
    for (const day of [29, 58, 87]) refreshToken = (await token(renewal(refreshToken), later(day * DAY))).refresh_token
    expect(await refusalOf(token(renewal(refreshToken), later(90 * DAY + 1)))).toBe('invalid_grant')
    const last = await token(renewal(refreshToken), later(90 * DAY - 600))
    expect(last.expires_in).toBeLessThanOrEqual(600)
  })

  it('is rejected after the person has left or the organization is deleted', async () => {
    for (const sql of [
      'delete from org_members where user_id = ?',
      'delete from users where id = ?',
      'delete from organizations where created_by = ?',
    ]) {
      const person = await aMember(app)
      const answer = await token(await approve(app, person))
      await query(app, sql, [person.userId])
      expect(await refusalOf(token(renewal(answer.refresh_token)))).toBe('invalid_grant')
      expect(await isLive(answer.access_token)).toBe(false)
    }
  })

  it('works with a required provider only when that provider’s session approved the connection', async () => {
    const byPassword = await connected()
    const byCorp = await token(await approve(app, { ...owner, provider: 'corp' }, { clientId: ANOTHER }))
    const rule = `update organizations set required_auth_provider = 'corp' where id = ?`
    await query(app, rule, [owner.orgId])
    // A linked account at the provider is not enough: the session that approved the connection must come from the provider.
    await query(
      app,
      `insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values ('a', ?, 'a', 'corp', 0, 0)`,
      [owner.userId],
    )
    expect(await refusalOf(token(renewal(byPassword.refresh_token)))).toBe('invalid_grant')
    expect((await authenticateAccessToken(app, byPassword.access_token))?.session).toMatchObject({
      orgId: null,
      orgRole: null,
      closedOrg: { id: owner.orgId, provider: 'corp' },
    })
    expect(await refusalOf(token(renewal(byCorp.refresh_token, ANOTHER)))).toBe('done')
    expect((await authenticateAccessToken(app, byCorp.access_token))?.session).toMatchObject({ orgId: owner.orgId })
    expect(await refusalOf(approve(app, owner))).toBe('access_denied')
  })

  it.each(['', 'nonsense', '%', 'x'.repeat(3000)])('with the invalid value %# is rejected', async value => {
    expect(['invalid_grant', 'invalid_request']).toContain(await refusalOf(token(renewal(value))))
  })
})

describe('refresh token replay window', () => {
  it('is ten seconds by default', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    expect((await token(renewal(first.refresh_token), later(9))).refresh_token).toBe(second.refresh_token)
    expect(await refusalOf(token(renewal(first.refresh_token), later(12)))).toBe('invalid_grant')
    expect(await isLive(second.access_token)).toBe(false)
  })

  it('applies to the token’s own client only, and reuse by another client ends the connection', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    expect(await refusalOf(token(renewal(first.refresh_token, ANOTHER)))).toBe('invalid_grant')
    expect(await refusalOf(token(renewal(second.refresh_token)))).toBe('invalid_grant')
    expect(await isLive(second.access_token)).toBe(false)
    expect(await query(app, 'select kind, subject, reason from security_events')).toEqual([
      { kind: 'refresh-token-replayed', subject: CLIENT_ID, reason: expect.stringContaining('by another client') },
    ])
  })

  it('returns the same successor for a retry while the successor is unused', async () => {
    await test.close()
    test = await createTestApp({ FW_REFRESH_REPLAY_WINDOW: '30' })
    app = test.app
    owner = await aMember(app)
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    const again = await token(renewal(first.refresh_token), later(29))
    expect(again.refresh_token).toBe(second.refresh_token)
    expect(await refusalOf(token({ ...renewal(first.refresh_token), scope: 'mcp:apps' }))).toBe('invalid_scope')
  })

  it('returns the newest unused token for every token of the chain', async () => {
    const chain = [(await token(await approve(app, owner))).refresh_token]
    for (let generation = 0; generation < 3; generation++) {
      chain.push((await token(renewal(chain.at(-1)))).refresh_token)
    }
    expect(new Set(chain).size).toBe(4)
    for (const late of chain.slice(0, 3)) expect((await token(renewal(late))).refresh_token).toBe(chain[3])
    expect(await refusalOf(token(renewal(chain[3])))).toBe('done')
  })

  it.each(['0010', '0100', '0101', '01020', '010210', '00110'])(
    'keeps the connection when generations arrive in the order %s',
    async order => {
      const chain = [(await token(await approve(app, owner))).refresh_token]
      for (const generation of order) {
        const { refresh_token: given } = await token(renewal(chain[Number(generation)]))
        if (!chain.includes(given)) chain.push(given)
        expect(given).toBe(chain.at(-1))
      }
      expect(await refusalOf(token(renewal(chain.at(-1))))).toBe('done')
    },
  )

  it('waits until an earlier answer has arrived, because a client keeps the last one', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    const began = Date.now()
    expect((await token(renewal(first.refresh_token))).refresh_token).toBe(second.refresh_token)
    await token(renewal(second.refresh_token))
    expect(Date.now() - began).toBeGreaterThanOrEqual(249)
  })

  it('starts for each token when that token is replaced', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    const third = await token(renewal(second.refresh_token), later(8))
    expect((await token(renewal(second.refresh_token), later(12))).refresh_token).toBe(third.refresh_token)
    expect(await refusalOf(token(renewal(first.refresh_token), later(12)))).toBe('invalid_grant')
    expect(await isLive(third.access_token)).toBe(false)
  })

  it('applies to its own client only in later generations too', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    const third = await token(renewal(second.refresh_token))
    expect(await refusalOf(token(renewal(first.refresh_token, ANOTHER)))).toBe('invalid_grant')
    expect(await isLive(third.access_token)).toBe(false)
  })

  it('works after a root secret rotation', async () => {
    const first = await token(await approve(app, owner))
    const second = await token(renewal(first.refresh_token))
    const rotated = { ...app, config: { ...app.config, keys: createKeyRing([OTHER_SECRET, SECRET]) } }
    const third = await token(renewal(second.refresh_token), rotated)
    expect((await token(renewal(first.refresh_token), rotated)).refresh_token).toBe(third.refresh_token)
  })

  it('ends with its root secret, like codes, access tokens and API tokens, unless the secret was listed during a reseal', async () => {
    const withSecrets = (...secrets: [string, ...string[]]): App => ({
      ...app,
      memo: createMemo(),
      config: { ...app.config, keys: createKeyRing(secrets) },
    })
    const host = await token(await approve(app, owner))
    const code = await approve(app, owner, { clientId: ANOTHER })
    const session = { ...owner, id: null }
    const input = { name: 'Script', scopes: ['mcp:read' as const], expiresInDays: 30 as const }
    const { token: personal } = await makePersonalToken(app, session, input)
    const lost = withSecrets(OTHER_SECRET)
    expect([await isLive(host.access_token, lost), await isLive(personal, lost)]).toEqual([false, false])
    expect(await refusalOf(token(renewal(host.refresh_token), lost))).toBe('invalid_grant')
    expect(await refusalOf(token(code, lost))).toBe('invalid_grant')
    const both = withSecrets(OTHER_SECRET, SECRET)
    for (const column of oauthSealedColumns) await reseal(both, column, { dryRun: false })
    const resealed = withSecrets(OTHER_SECRET)
    expect([await isLive(host.access_token, resealed), await isLive(personal, resealed)]).toEqual([true, true])
    expect((await token(renewal(host.refresh_token), resealed)).refresh_token).toMatch(/./)
  })

  it('goes on when it is older than the mark of the root secret', async () => {
    const host = await token(await approve(app, owner))
    await query(app, 'update oauth_grants set root_mark = null')
    expect(await isLive(host.access_token)).toBe(true)
    expect((await token(renewal(host.refresh_token))).refresh_token).toMatch(/./)
  })
})
