import { generateSecret } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerTokenRequest, authenticateAccessToken, registerClient } from '#fairway/server/domains/oauth-server'
import { requireConnection, setManagedAgents } from '#fairway/server/domains/organizations'
import { suspendPerson } from '#fairway/server/domains/people'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { createGuardedFetch } from '#fairway/server/kernel/http/guarded-fetch'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { assertionClaims, makeClientKey, signAssertion } from '../../../support/client-assertion'
import { addTo, aMember, sessionNow } from '../../../support/members'
import {
  addAgent,
  addAgentConnection as connect,
  type Agent,
  ASSERTION_GRANT,
  type AssertionIssuer,
  type Differing,
  linkTo,
  sendAssertion,
  signIdJag,
  startAssertionIssuer,
} from '../../../support/managed-agents'
import { query } from '../../../support/query'
import { startTlsServer, type TlsServer } from '../../../support/web-server'

const HOST = 'agent.example.com'
const DOCUMENT = `https://${HOST}/client.json`
let corp: AssertionIssuer
let hub: AssertionIssuer
let foreign: AssertionIssuer
let server: TlsServer
let document: Record<string, unknown>
const documentKey = await makeClientKey('ES256')

beforeAll(async () => {
  ;[corp, hub, foreign] = await Promise.all([
    startAssertionIssuer(),
    startAssertionIssuer('/tenant'),
    startAssertionIssuer(),
  ])
  server = await startTlsServer(HOST, (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document)),
  )
})
afterAll(() => Promise.all([corp, hub, foreign, server].map(each => each.stop())))

let test: TestApp
let app: App
let owner: Session
let person: Session
let agent: Agent
let connectionId: string
let now: number

beforeEach(async () => {
  document = {
    client_id: DOCUMENT,
    client_name: 'Agent of a document',
    redirect_uris: [`https://${HOST}/callback`],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [documentKey.jwk] },
  }
  test = await createTestApp({ FW_ISSUER_ORIGINS: [corp, hub].map(({ origin }) => origin).join(',') })
  app = test.app
  now = Date.now()
  app.now = () => new Date(now)
  app.memo('guarded-fetch', () =>
    createGuardedFetch({
      resolve: async () => ['93.184.216.34'],
      connectTo: () => ({
        ca: server.certificate,
        port: server.port,
        lookup: (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
    }),
  )
  owner = await aMember(app)
  person = await aMember(app)
  await addTo(app, owner, person, 'member')
  ;({ id: connectionId } = await connect(app, owner, corp.issuer, [corp.issuer, hub.issuer]))
  await linkTo(app, person, connectionId, 'ada')
  agent = await addAgent(app, owner)
})
afterEach(() => test.close())

const pass = (seconds: number) => void (now += seconds * 1000)
const assertion = (differing: Differing = {}, { from = corp, clientId = agent.clientId, sub = 'ada' } = {}) =>
  signIdJag(from, { clientId, sub, baseUrl: app.config.baseUrl, now }, differing)
const send = async (differing: Differing = {}, form: Record<string, string> = {}) =>
  sendAssertion(app, agent, await assertion(differing), form)
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    ({ status, error, description }) => [status, error, description],
  )
const grants = () => query(app, 'select * from oauth_grants order by created_at, id')
const REFUSED = (reason: unknown) => [400, 'invalid_grant', reason]

describe('an assertion', () => {
  it('connects its person with an ordinary grant of an hour at most and no refresh token', async () => {
    const answer = await send()
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'mcp:read mcp:write',
    })
    const access = await authenticateAccessToken(app, answer.access_token)
    expect(access).toMatchObject({ clientId: agent.clientId, session: { userId: person.userId, orgId: owner.orgId } })
    expect(await grants()).toEqual([
      expect.objectContaining({
        client_name: 'Larch agent',
        org_id: owner.orgId,
        provider: `connection:${connectionId}`,
        assertion_issuer: corp.issuer,
        may_delete: 0,
        must_sign: 1,
        scope: 'mcp:read mcp:write',
      }),
    ])
  })

  it('continues the grant of the same client and person, also when two arrive together', async () => {
    const [first] = await Promise.all([send(), send()])
    pass(7200)
    expect(await authenticateAccessToken(app, first?.access_token ?? '')).toBeNull()
    const { access_token: next } = await send()
    expect(await grants()).toHaveLength(1)
    expect(await authenticateAccessToken(app, next)).not.toBeNull()
  })

  it('is accepted once, by all instances', async () => {
    const same = await assertion()
    await sendAssertion(app, agent, same)
    const beside = { ...app, memo: createMemo() }
    expect(await refusal(sendAssertion(beside, agent, same))).toEqual(REFUSED(expect.stringContaining('used before')))
  })

  it.each<[what: string, differing: () => Differing]>([
    ['from an issuer that is not the connection’s and that the owner named', () => ({})],
    ['with the audience as a list of one', () => ({ claims: { aud: [app.config.baseUrl] } as never })],
    ['with the audience as the address of the origin', () => ({ claims: { aud: `${app.config.baseUrl}/` } })],
    ['with our resource', () => ({ claims: { resource: `${app.config.baseUrl}/mcp` } })],
    ['that names the organization', () => ({ claims: { aud_tenant: owner.orgId, aud_sub: 'ada', sub: 'other' } })],
  ])('%s is accepted', async (what, differing) => {
    const from = what.startsWith('from') ? hub : corp
    const signed = await assertion(differing(), { from })
    expect(await refusal(sendAssertion(app, agent, signed))).toBe('accepted')
  })

  it.each<[what: string, differing: () => Differing | Promise<Differing>, reason: string]>([
    ['with another typ', () => ({ header: { typ: 'JWT' } }), 'typ'],
    [
      'with a symmetric key',
      async () => ({ header: { alg: 'HS256' }, key: (await generateSecret('HS256')) as never }),
      'alg',
    ],
    ['of an issuer that no owner named', () => ({ claims: { iss: foreign.issuer } }), 'issuer'],
    ['signed with an unknown key', async () => ({ key: (await makeClientKey('RS256')).privateKey }), 'signature'],
    ['for two audiences', () => ({ claims: { aud: [app.config.baseUrl, 'https://other.example'] } }), 'aud'],
    ['for another audience', () => ({ claims: { aud: 'https://other.example' } }), 'aud'],
    ['for another client', () => ({ claims: { client_id: 'another' } }), 'client_id'],
    ['for another resource', () => ({ claims: { resource: 'https://other.example/mcp' } }), 'resource'],
    ['for another organization', () => ({ claims: { aud_tenant: 'another' } }), 'person'],
    ['that has expired', () => ({ claims: { exp: Math.floor(now / 1000) - 60 } }), 'exp'],
    ['that lasts too long', () => ({ claims: { exp: Math.floor(now / 1000) + 600 } }), 'five minutes'],
    ['from the future', () => ({ claims: { iat: Math.floor(now / 1000) + 120 } }), 'iat'],
    ['without iat', () => ({ claims: { iat: undefined } }), 'iat'],
    ['without jti', () => ({ claims: { jti: undefined } }), 'jti'],
    ['bound to a key', () => ({ claims: { cnf: { jkt: 'x' } } }), 'cnf'],
    ['with an unknown scope', () => ({ claims: { scope: 'mcp:read operator' } }), 'operator'],
    ['about an unknown person', () => ({ claims: { sub: 'eve' } }), 'has not signed in'],
  ])('%s is refused', async (_what, differing, reason) => {
    const answer = await refusal(send(await differing()))
    expect(answer).toEqual(REFUSED(expect.stringContaining(reason)))
    expect(await grants()).toEqual([])
  })

  it('without a signature is refused', async () => {
    const [, payload] = (await assertion()).split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'oauth-id-jag+jwt' })).toString('base64url')
    const answer = await refusal(sendAssertion(app, agent, `${header}.${payload}.`))
    expect(answer).toEqual(REFUSED(expect.stringContaining('alg')))
  })

  it('is compared with issuer and client before a key is fetched, and never logged', async () => {
    const before = [corp, foreign].map(({ requested }) => requested.length)
    await refusal(send({ claims: { iss: foreign.issuer } }))
    const other = await aMember(app)
    const theirs = await addAgent(app, other)
    const signed = await assertion({}, { clientId: theirs.clientId })
    expect(await refusal(sendAssertion(app, theirs, signed))).toEqual(REFUSED(expect.stringContaining('issuer')))
    expect([corp, foreign].map(({ requested }) => requested.length)).toEqual(before)
    const logged = JSON.stringify(test.lines())
    expect(logged).toContain('an assertion was refused')
    expect(logged).not.toContain(signed.split('.')[1])
  })

  it('signed with a new key is accepted after one more fetch, at most twice a minute', async () => {
    await send()
    await corp.rotate()
    expect(await refusal(send())).toEqual(REFUSED(expect.stringContaining('key')))
    pass(31)
    expect(await refusal(send())).toBe('accepted')
  })

  it('gets 503 while its issuer publishes no keys', async () => {
    const away = await startAssertionIssuer()
    const row = await requireConnection(app, owner.orgId ?? '', connectionId)
    await setManagedAgents(app, row, { assertionIssuers: [away.issuer] })
    await away.stop()
    const signed = await assertion({}, { from: away })
    expect(await refusal(sendAssertion(app, agent, signed))).toEqual([
      503,
      'temporarily_unavailable',
      expect.anything(),
    ])
  })
})

describe('the person of an assertion', () => {
  it('who has left the organization is refused', async () => {
    await query(app, 'delete from org_members where user_id = ? and org_id = ?', [person.userId, owner.orgId])
    expect(await refusal(send())).toEqual(REFUSED(expect.stringContaining('no member')))
  })

  it('who is suspended is refused, with our code', async () => {
    await suspendPerson(app, { userId: person.userId, by: owner.userId, reason: 'x' } as never)
    expect(await refusal(send())).toEqual(REFUSED(expect.stringContaining('account-suspended')))
  })

  it('whom the sign-in rule shuts out is refused, and admitted when it requires the connection', async () => {
    const require_ = (provider: string) =>
      query(app, 'update organizations set required_auth_provider = ? where id = ?', [provider, owner.orgId])
    await require_('google')
    expect(await refusal(send())).toEqual(REFUSED(expect.stringContaining('does not admit')))
    await require_(`connection:${connectionId}`)
    expect(await refusal(send())).toBe('accepted')
  })

  it.each<[what: string, active: number, expected: unknown]>([
    ['is accepted while active', 1, 'accepted'],
    ['is refused while inactive', 0, REFUSED(expect.stringContaining('no directory knows them'))],
  ])('whom the directory knows by externalId %s', async (_what, active, expected) => {
    await query(
      app,
      `insert into fw_directory_people (id, org_id, user_id, user_name, user_name_key, external_id, email, active, data, created_at, updated_at)
        values ('d1', ?, ?, 'bo', 'bo', '00u1', 'bo@example.test', ?, '{}', 0, 0)`,
      [owner.orgId, person.userId, active],
    )
    expect(await refusal(send({ claims: { sub: '00u1' } }))).toEqual(expected)
  })
})

describe('the scopes of an assertion', () => {
  it.each<[asserted: string | undefined, asked: string | undefined, granted: unknown]>([
    [undefined, undefined, 'mcp:read mcp:write'],
    [undefined, 'mcp:read', 'mcp:read'],
    ['mcp:read', undefined, 'mcp:read'],
    ['mcp:read mcp:apps', 'mcp:read mcp:write', 'mcp:read'],
    ['mcp:read', 'mcp:read offline_access', 'mcp:read'],
    ['mcp:read', 'mcp:write', 'invalid_scope'],
    ['offline_access', undefined, 'invalid_scope'],
    [undefined, 'openid', 'invalid_scope'],
  ])('%s, with %s asked for: %s', async (asserted, asked, granted) => {
    const answer = await send(
      { claims: asserted === undefined ? {} : { scope: asserted } },
      asked ? { scope: asked } : {},
    ).catch(({ error }) => ({ scope: error }))
    expect(answer.scope).toBe(granted)
  })

  it('of earlier tokens stay in the list until those have expired', async () => {
    const scope = async () => (await grants())[0]?.scope
    await send({ claims: { scope: 'mcp:write' } })
    await send({ claims: { scope: 'mcp:read' } })
    expect(await scope()).toBe('mcp:read mcp:write')
    pass(3601)
    await send({ claims: { scope: 'mcp:read' } })
    expect(await scope()).toBe('mcp:read')
  })
})

describe('the client of an assertion', () => {
  const asDocument = async (sub = 'ada', claims: Differing['claims'] = {}) => {
    const signed = await assertion({ claims }, { clientId: DOCUMENT, sub })
    const proof = {
      ...assertionClaims(DOCUMENT, app.config.baseUrl),
      iat: Math.floor(now / 1000),
      exp: Math.floor(now / 1000) + 60,
    }
    const form = { grant_type: ASSERTION_GRANT, assertion: signed, ...(await signAssertion(documentKey, proof)) }
    return answerTokenRequest(app, { form })
  }

  it('can be one with a metadata document, whose organization the issuer tells', async () => {
    const { access_token: token } = await asDocument()
    expect(await authenticateAccessToken(app, token)).toMatchObject({ session: { orgId: owner.orgId } })
    expect((await grants())[0]).toMatchObject({ client_id: DOCUMENT, client_name: 'Agent of a document' })
  })

  it('with a document works in the organization that knows the person, and asks for a name where two do', async () => {
    const second = await aMember(app)
    const { id } = await connect(app, second, corp.issuer)
    expect(await refusal(asDocument())).toBe('accepted')
    await addTo(app, second, person, 'member')
    await linkTo(app, person, id, 'ada')
    expect(await refusal(asDocument())).toEqual(REFUSED(expect.stringContaining('aud_tenant')))
    expect(await refusal(asDocument('ada', { aud_tenant: second.orgId }))).toBe('accepted')
  })

  it('is refused when it is public, or registered itself', async () => {
    const metadata = { redirect_uris: [`https://${HOST}/callback`] }
    const { client_id: open } = await registerClient(app, metadata, '203.0.113.7')
    const form = { grant_type: ASSERTION_GRANT, assertion: await assertion({}, { clientId: open }), client_id: open }
    expect(await refusal(answerTokenRequest(app, { form }))).toEqual([401, 'invalid_client', expect.anything()])
    const signing = { ...metadata, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [documentKey.jwk] } }
    const { client_id: signed } = await registerClient(app, signing, '203.0.113.7')
    const proof = await signAssertion(documentKey, assertionClaims(signed, app.config.baseUrl))
    const again = { grant_type: ASSERTION_GRANT, assertion: await assertion({}, { clientId: signed }), ...proof }
    expect(await refusal(answerTokenRequest(app, { form: again }))).toEqual([
      400,
      'unauthorized_client',
      expect.anything(),
    ])
  })
})

describe('a connection', () => {
  it.each<[what: string, change: () => Promise<unknown>]>([
    [
      'whose owner has switched managed agents off',
      async () =>
        setManagedAgents(app, await requireConnection(app, owner.orgId ?? '', connectionId), { managedAgents: false }),
    ],
    [
      'that is not active',
      () => query(app, `update fw_org_connections set state = 'off' where id = ?`, [connectionId]),
    ],
    [
      'of a deleted organization',
      () => query(app, 'update organizations set deleted_at = 1 where id = ?', [owner.orgId]),
    ],
  ])('%s accepts no assertion', async (_what, change) => {
    await change()
    expect((await refusal(send()))[1]).toMatch(/invalid_grant|invalid_client/)
  })

  it('serves agents of its own organization alone', async () => {
    const other = await aMember(app)
    await connect(app, other, corp.issuer)
    const theirs = await addAgent(app, other)
    const signed = await assertion({}, { clientId: theirs.clientId })
    expect(await refusal(sendAssertion(app, theirs, signed))).toEqual(
      REFUSED(expect.stringContaining('has not signed in')),
    )
    expect((await sessionNow(app, person)).orgId).not.toBeNull()
  })
})
