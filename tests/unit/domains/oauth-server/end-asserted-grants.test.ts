import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { authenticateAccessToken, disconnectApp, listGrants } from '#fairway/server/domains/oauth-server'
import { disconnectOrgApp, listOrgGrants } from '#fairway/server/domains/oauth-server/grants'
import { endManagedClient } from '#fairway/server/domains/oauth-server/clients/managed-clients'
import {
  deactivateConnection,
  removeMember,
  requireConnection,
  setAuthProvider,
  setManagedAgents,
} from '#fairway/server/domains/organizations'
import { endGrantsOf } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import {
  actorOf,
  addAgent,
  addAgentConnection,
  type Agent,
  type AssertionIssuer,
  linkTo,
  sendAssertion,
  signIdJag,
  startAssertionIssuer,
} from '../../../support/managed-agents'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

let corp: AssertionIssuer
beforeAll(async () => void (corp = await startAssertionIssuer()))
afterAll(() => corp.stop())

let test: TestApp
let app: App
let owner: Session
let person: Session
let agent: Agent
let connectionId: string
let now: number
let token: string

beforeEach(async () => {
  test = await createTestApp({
    FW_ISSUER_ORIGINS: corp.origin,
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_CLIENT_SECRET: 'secret',
  })
  app = test.app
  now = Date.now()
  app.now = () => new Date(now)
  owner = await aMember(app)
  person = await aMember(app)
  await addTo(app, owner, person, 'member')
  owner = await sessionNow(app, owner)
  ;({ id: connectionId } = await addAgentConnection(app, owner, corp.issuer))
  await linkTo(app, person, connectionId, 'ada')
  agent = await addAgent(app, owner)
  token = (await connect()).access_token
  return () => test.close()
})

const pass = (seconds: number) => void (now += seconds * 1000)
const assertion = () => signIdJag(corp, { clientId: agent.clientId, sub: 'ada', baseUrl: app.config.baseUrl, now })
const connect = async () => sendAssertion(app, agent, await assertion())
const isLive = async () => (await authenticateAccessToken(app, token)) !== null
const connection = () => requireConnection(app, owner.orgId ?? '', connectionId)
const grantId = async () => String((await query(app, 'select id from oauth_grants'))[0]?.id)

it('is listed for its person and for the organization', async () => {
  for (const listed of [await listGrants(app, person), await listOrgGrants(app, owner.orgId ?? '')])
    expect(listed).toEqual([expect.objectContaining({ clientName: 'Larch agent', clientId: agent.clientId })])
})

it.each<[how: string, end: () => Promise<unknown>]>([
  ['its person disconnects it', async () => disconnectApp(app, person, await grantId())],
  ['an owner disconnects it', async () => disconnectOrgApp(app, actorOf(owner), await grantId())],
  [
    'its person ends everything, as a new password and a second factor do',
    () => app.db.client.batch(endGrantsOf(app, { userId: person.userId, reason: 'x' } as never), 'write'),
  ],
  ['the membership ends', () => removeMember(app, actorOf(owner), person.email)],
  ['the sign-in rule changes', () => setAuthProvider(app, actorOf(owner), { provider: 'google', confirm: true })],
  ['managed agents are switched off', async () => setManagedAgents(app, await connection(), { managedAgents: false })],
  [
    'its issuer is no longer named',
    async () => setManagedAgents(app, await connection(), { assertionIssuers: ['https://other.example'] }),
  ],
  ['the connection is deactivated', async () => deactivateConnection(app, await connection())],
  ['its client is deleted', () => endManagedClient(app, owner.orgId ?? '', agent.clientId)],
])('ends when %s', async (_how, end) => {
  expect(await isLive()).toBe(true)
  await end()
  expect(await isLive()).toBe(false)
  expect(await listGrants(app, person)).toEqual([])
})

it('stays when the connection of another organization changes', async () => {
  const second = await aMember(app)
  const other = await addAgentConnection(app, second, corp.issuer)
  await setManagedAgents(app, other, { managedAgents: false })
  expect(await isLive()).toBe(true)
})

it('stays ended for assertions from before, and the next one connects again', async () => {
  const before = await assertion()
  pass(1)
  await disconnectApp(app, person, await grantId())
  expect(await refusalOf(sendAssertion(app, agent, before))).toBe('invalid_grant')
  pass(1)
  expect(await refusalOf(connect())).toBe('done')
  expect(await query(app, 'select id from oauth_grants')).toHaveLength(2)
})

it('reads only while the organization limits its agents', async () => {
  await query(app, 'update organizations set agents_read_only = 1 where id = ?', [owner.orgId])
  expect(await authenticateAccessToken(app, token)).toMatchObject({ isReadOnly: true, scopes: new Set(['mcp:read']) })
})

it('follows a session policy for apps, whose hours begin with each assertion', async () => {
  await query(app, 'update organizations set session_max_hours = 1, session_policy_apps = 1 where id = ?', [
    owner.orgId,
  ])
  const closed = async () => (await authenticateAccessToken(app, token))?.session.orgId
  pass(3500)
  token = (await connect()).access_token
  pass(3500)
  expect(await closed()).toBe(owner.orgId)
  await query(app, 'update oauth_grants set signed_in_at = signed_in_at - 600000')
  expect(await closed()).not.toBe(owner.orgId)
})

it('follows the second factor policy: the provider’s own counts where the rule requires the connection', async () => {
  await query(app, 'update organizations set second_factor_since = 1, second_factor_grace_days = 0 where id = ?', [
    owner.orgId,
  ])
  await query(app, 'update org_members set joined_at = 1')
  const due = async () => (await authenticateAccessToken(app, token))?.session.secondFactor?.isOver
  expect(await due()).toBe(true)
  await query(app, 'update organizations set required_auth_provider = ? where id = ?', [
    `connection:${connectionId}`,
    owner.orgId,
  ])
  expect(await due()).toBeUndefined()
})

it('does not survive its root secret, and the next assertion makes a new grant', async () => {
  await query(app, `update oauth_grants set root_mark = '00000000' || substr(root_mark, 9)`)
  expect(await isLive()).toBe(false)
  pass(1)
  token = (await connect()).access_token
  expect(await isLive()).toBe(true)
  expect(await query(app, 'select revoked_reason from oauth_grants where revoked_at is not null')).toEqual([
    expect.objectContaining({ revoked_reason: 'replaced' }),
  ])
})
