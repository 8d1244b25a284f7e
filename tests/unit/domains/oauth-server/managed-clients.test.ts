import { beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  revokeToken,
  showConsent,
} from '#fairway/server/domains/oauth-server'
import { proveClient } from '#fairway/server/domains/oauth-server/authorize/authorize-request'
import { readParameters } from '#fairway/server/domains/oauth-server/authorization-endpoint'
import { endManagedClient, listManagedClients } from '#fairway/server/domains/oauth-server/clients/managed-clients'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import type { Session } from '#fairway/shared/schemas/session'
import { refusalOf } from '../../../support/error-code'
import { addAgent, type Agent, basicHeader } from '../../../support/managed-agents'
import { aMember, anotherOrg } from '../../../support/members'
import { approve, renewal } from '../../../support/oauth-grant'
import { authorizeQuery } from '../../../support/oauth-host'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const CALLBACK = 'https://agent.example.com/callback'
const test = useTestApp()
let app: App
let owner: Session
let agent: Agent

beforeEach(async () => {
  app = test.app
  owner = await aMember(app)
  agent = await addAgent(app, owner, [CALLBACK])
})

type Form = Record<string, string>
const header = ({ clientId, clientSecret } = agent) => basicHeader(clientId, clientSecret)
const send = (form: Form, authorization?: string) => answerTokenRequest(app, { form, authorization })
const approved = (person = owner) =>
  approve(app, person, { clientId: agent.clientId, redirectUri: CALLBACK, mustSign: true })
const INVALID = { error: 'invalid_client', status: 401 }

describe('a managed client', () => {
  it('exchanges a code, renews and revokes with its secret', async () => {
    const tokens = await send(await approved(), header())
    const renewed = await send(renewal(tokens.refresh_token, agent.clientId), header())
    expect(await authenticateAccessToken(app, renewed.access_token)).not.toBeNull()
    await revokeToken(app, { form: { token: renewed.access_token }, authorization: header() })
    expect(await authenticateAccessToken(app, renewed.access_token)).toBeNull()
  })

  it('without its secret gets 401 everywhere, and its tokens stay valid', async () => {
    const { access_token: token, refresh_token: refresh } = await send(await approved(), header())
    // A grant that was used is not replaced by the next approval.
    expect(await authenticateAccessToken(app, token)).not.toBeNull()
    const wrong = header({ ...agent, clientSecret: `${agent.clientSecret}x` })
    const challenged = { ...INVALID, headers: { 'www-authenticate': 'Basic realm="oauth"' } }
    await expect(send(await approved())).rejects.toMatchObject(INVALID)
    await expect(send(renewal(refresh, agent.clientId))).rejects.toMatchObject(INVALID)
    await expect(send(renewal(refresh, agent.clientId), wrong)).rejects.toMatchObject(challenged)
    await expect(
      send({ ...renewal(refresh, agent.clientId), client_secret: agent.clientSecret }),
    ).rejects.toMatchObject(INVALID)
    await expect(revokeToken(app, { form: { token } })).rejects.toMatchObject(INVALID)
    expect(await authenticateAccessToken(app, token)).not.toBeNull()
  })

  it('sends its secret form-encoded (RFC 6749 §2.3.1)', async () => {
    const secret = 'a b+c:d%é'
    const encoded = new URLSearchParams({ secret }).toString().slice('secret='.length)
    const credentials = Buffer.from(`${agent.clientId}:${encoded}`).toString('base64')
    await query(app, 'update fw_managed_clients set secret_hash = ?', [sha256(secret)])
    expect(await refusalOf(send(await approved(), `Basic ${credentials}`))).toBe('done')
  })

  it('connects people of its own organization alone', async () => {
    const elsewhere = await anotherOrg(app, owner)
    expect(await refusalOf(approved(elsewhere))).toBe('access_denied')
    expect(await query(app, 'select 1 from oauth_grants')).toEqual([])
  })

  it('is shown on the consent page as registered by an owner, with its own organization alone', async () => {
    const person = await anotherOrg(app, owner)
    const visit = { clientAddress: '192.0.2.1', requestId: 'r', session: person, sessionId: null, signedInAt: null }
    const query = authorizeQuery(agent.clientId, { redirect_uri: CALLBACK })
    const answer = JSON.stringify(await showConsent(app, { ...visit, query }))
    expect(answer).toContain('Registered by an owner of the organization')
    expect(answer).toContain(owner.orgName?.replace("'", '&#39;'))
    expect(answer).not.toContain('Second')
  })

  it('without an address has no consent page, so it can exchange assertions alone', async () => {
    const { clientId } = await addAgent(app, owner)
    const parameters = readParameters(`client_id=${clientId}&redirect_uri=${CALLBACK}`, text => new Error(text))
    expect(await refusalOf(proveClient(app, parameters, ''))).toBe('invalid_request')
    expect(await refusalOf(addAgent(app, owner, ['javascript:alert(1)']))).toBe('invalid-input')
  })

  it('is listed with the people whom it acts for, without its secret', async () => {
    await send(await approved(), header())
    const listed = await listManagedClients(app, owner.orgId ?? '')
    expect(listed).toEqual([
      {
        id: agent.clientId,
        name: 'Larch agent',
        redirectUris: [CALLBACK],
        people: 1,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ])
    const rows = await query(app, 'select * from fw_managed_clients')
    expect(JSON.stringify([listed, rows])).not.toContain(agent.clientSecret)
  })

  it('ends with its grants when an owner deletes it, and with its organization', async () => {
    const { access_token: token } = await send(await approved(), header())
    const other = await aMember(app)
    expect(await refusalOf(endManagedClient(app, other.orgId ?? '', agent.clientId))).toBe('not-found')
    await endManagedClient(app, owner.orgId ?? '', agent.clientId)
    expect(await authenticateAccessToken(app, token)).toBeNull()
    await expect(send(renewal('any', agent.clientId), header())).rejects.toMatchObject(INVALID)
    agent = await addAgent(app, owner, [CALLBACK])
    const form = await approved()
    await query(app, 'update organizations set deleted_at = 1 where id = ?', [owner.orgId])
    await expect(send(form, header())).rejects.toMatchObject(INVALID)
  })

  it('is one of fifty at most', async () => {
    for (let count = 1; count < 50; count++) await addAgent(app, owner)
    expect(await refusalOf(addAgent(app, owner))).toBe('client-limit')
  })
})
