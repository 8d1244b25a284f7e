import { beforeEach, describe, expect, it } from 'vitest'
import {
  changeServiceAccount,
  deleteOrganization,
  endServiceAccount,
  endServiceKey,
  leaveOrganization,
  listServiceAccounts,
  purgeOrganizations,
  removeMember,
  requireOrg,
  setActiveOrgId,
  tellEndingKeys,
  tellInheritors,
} from '#fairway/server/domains/organizations'
import { isWellFormedKey } from '#fairway/server/domains/organizations/service-accounts/keys'
import {
  answerTokenRequest,
  authenticateAccessToken,
  authorizationServerMetadata,
  revokeToken,
} from '#fairway/server/domains/oauth-server'
import { deleteAccount } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { assertionClaims, type ClientKey, makeClientKey, signAssertion } from '../../../support/client-assertion'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { addAgent, ASSERTION_GRANT, basicHeader } from '../../../support/managed-agents'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { addAccount, addKey } from '../../../support/service-accounts'
import { useTestApp } from '../../../support/use-app'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const test = useTestApp()
let app: App
let now: number
let owner: Session
let admin: Session
beforeEach(async () => {
  app = test.app
  now = Date.now()
  app.now = () => new Date(now)
  owner = await aMember(app)
  admin = await joined('admin')
})

async function joined(role: 'owner' | 'admin' | 'member'): Promise<Session> {
  const person = await aMember(app)
  await addTo(app, owner, person, role)
  await setActiveOrgId(app, person, owner.orgId, 'test')
  return sessionNow(app, person)
}
const actor = (person: Session) => requireOrg(person, 'manage-service-accounts')

/** Makes an account with a key. */
async function made(by = owner, wanted: Parameters<typeof addAccount>[2] = {}) {
  const { id } = await addAccount(app, by, wanted)
  return { id, ...(await keyOf(id, by)) }
}
async function keyOf(id: string, by = owner) {
  const { key, id: keyId } = await addKey(app, by, id)
  return { key, keyId }
}
const open = (credential: string) => authenticateAccessToken(app, credential)
const isOpen = async (credential: string) => (await open(credential)) !== null

type Form = Record<string, string>
const grant = (form: Form = {}, authorization?: string) =>
  answerTokenRequest(app, { form: { grant_type: 'client_credentials', ...form }, authorization })
const post = (id: string, key: string, form: Form = {}) => grant({ client_id: id, client_secret: key, ...form })

describe('the key of a service account', () => {
  it('opens its organization with its own role, never above that of its owner of record', async () => {
    const cases = [
      [owner, 'admin', 'admin'],
      [owner, 'member', 'member'],
      [admin, 'admin', 'admin'],
    ] as const
    for (const [by, role, expected] of cases) {
      const { id, key } = await made(by, { role })
      const access = await open(key)
      expect(access).toMatchObject({
        session: {
          userId: by.userId,
          email: by.email,
          orgId: owner.orgId,
          orgRole: expected,
          serviceAccount: { id, isOwners: true },
        },
        grantId: id,
        clientId: id,
        mayDelete: true,
        asksFirst: 'always',
      })
      expect([...(access?.scopes ?? [])]).toEqual(['mcp:read', 'mcp:write'])
    }
    const { key } = await made(admin, { role: 'admin' })
    await query(app, "update org_members set role = 'member' where user_id = ? and org_id = ?", [
      admin.userId,
      owner.orgId,
    ])
    expect((await open(key))?.session.orgRole).toBe('member')
  })

  it('has the form of a token with a checksum, and is stored as a hash', async () => {
    const { key } = await made()
    expect(key).toMatch(/^fws_[a-zA-Z0-9]{36}$/)
    expect(isWellFormedKey(key)).toBe(true)
    const forged = key.replace(/.$/, last => (last === 'a' ? 'b' : 'a'))
    expect([isWellFormedKey(forged), isWellFormedKey(`${key}a`), await isOpen(forged)]).toEqual([false, false, false])
    const rows = [
      await query(app, 'select * from fw_service_account_keys'),
      await listServiceAccounts(app, owner.orgId!),
    ]
    expect(JSON.stringify(rows)).not.toContain(key)
    expect(rows[1]).toMatchObject([{ keys: [{ end: key.slice(-4), lastUsedAt: null }] }])
  })

  it('is limited to reading by its account and by its organization', async () => {
    const { key } = await made(owner, { readOnly: true })
    const other = await made()
    const scopesOf = async (credential: string) => {
      const access = await open(credential)
      return [[...(access?.scopes ?? [])], access?.isReadOnly]
    }
    expect([await scopesOf(key), await scopesOf(other.key)]).toEqual([
      [['mcp:read'], true],
      [['mcp:read', 'mcp:write'], false],
    ])
    await query(app, 'update organizations set agents_read_only = 1 where id = ?', [owner.orgId])
    expect(await scopesOf(other.key)).toEqual([['mcp:read'], true])
  })

  it('is one of two at most, and both work until the first is revoked', async () => {
    const { id, key, keyId } = await made()
    const second = await keyOf(id)
    expect(await refusalOf(keyOf(id))).toBe('too-many-keys')
    expect([await isOpen(key), await isOpen(second.key)]).toEqual([true, true])
    await endServiceKey(app, actor(admin), { id, keyId })
    expect([await isOpen(key), await isOpen(second.key)]).toEqual([false, true])
    await keyOf(id)
  })

  it('is one of two at most when many are made at once', async () => {
    const slow = withLatency(app)
    for (let round = 0; round < 5; round++) {
      const { id } = await addAccount(app, owner)
      const results = await Promise.all(Array.from({ length: 6 }, () => refusalOf(addKey(slow, owner, id))))
      expect(results.toSorted()).toEqual(['done', 'done', ...Array<string>(4).fill('too-many-keys')])
    }
  })

  it.each<[string, (made: { id: string; keyId: string }) => Promise<unknown>]>([
    ['its key is revoked', ({ id, keyId }) => endServiceKey(app, actor(owner), { id, keyId })],
    ['its key expires', async () => void (now += 31 * DAY_IN_MS)],
    ['it is deleted', ({ id }) => endServiceAccount(app, actor(owner), id)],
    [
      'its organization is deleted',
      () => deleteOrganization(app, requireOrg(owner, 'delete-organization'), owner.orgName!),
    ],
    [
      'its owner of record is no member, and nobody has taken over',
      () => query(app, 'delete from org_members where user_id = ?', [owner.userId]),
    ],
  ])('stops with the next call, and so does its token, when %s', async (_how, end) => {
    const account = await made()
    const { access_token: token } = await post(account.id, account.key)
    expect([await isOpen(account.key), await isOpen(token)]).toEqual([true, true])
    await end(account)
    expect([await isOpen(account.key), await isOpen(token)]).toEqual([false, false])
    expect(await refusalOf(post(account.id, account.key))).toBe('invalid_client')
  })

  it('is paused while its owner of record is suspended', async () => {
    const { id, key } = await made(admin)
    await query(app, 'update users set suspended_at = 1 where id = ?', [admin.userId])
    expect(await refusalOf(open(key))).toBe('account-suspended')
    expect(await refusalOf(post(id, key))).toBe('invalid_client')
    await query(app, 'update users set suspended_at = null where id = ?', [admin.userId])
    expect(await isOpen(key)).toBe(true)
  })

  it('is not asked for a sign-in provider or a second factor, but for the networks of connected apps', async () => {
    const { key } = await made()
    const rules = "required_auth_provider = 'google', second_factor_since = 1, second_factor_grace_days = 0"
    await query(app, `update organizations set ${rules} where id = ?`, [owner.orgId])
    expect((await open(key))?.session).toMatchObject({ orgId: owner.orgId })
    await query(
      app,
      'update organizations set session_max_hours = 1, session_idle_minutes = 5, session_policy_apps = 1 where id = ?',
      [owner.orgId],
    )
    now += DAY_IN_MS
    expect((await open(key))?.session).toMatchObject({ orgId: owner.orgId })
    await query(app, `update organizations set session_networks = '["192.0.2.0/24"]' where id = ?`, [owner.orgId])
    const from = (clientAddress: string) => withRun({ app, session: null, clientAddress }, () => open(key))
    expect((await from('192.0.2.7'))?.session).toMatchObject({ orgId: owner.orgId })
    expect((await from('198.51.100.7'))?.session).toMatchObject({ orgId: null, closedOrg: { reason: 'network' } })
  })

  it('is removed with its organization', async () => {
    await made()
    await deleteOrganization(app, requireOrg(owner, 'delete-organization'), owner.orgName!)
    now += 365 * DAY_IN_MS
    await purgeOrganizations(app)
    const left = 'select id from fw_service_accounts union all select id from fw_service_account_keys'
    expect(await query(app, left)).toEqual([])
  })
})

describe('the owner of record of a service account', () => {
  it.each<[string, (heir: Session) => Promise<unknown>]>([
    ['leave', heir => leaveOrganization(app, requireOrg(owner, 'read-organization'), { receiver: heir.email })],
    ['are removed', heir => removeMember(app, requireOrg(heir, 'remove-member'), owner.email)],
    ['delete their account', () => deleteAccount(app, { ...owner, sessionId: null }, { email: owner.email }, 'r')],
  ])('is followed by the heir when they %s, who is told; earlier keys do not reach their rows', async (_how, end) => {
    const heir = await joined('owner')
    const { id, key } = await made()
    await end(heir)
    expect((await open(key))?.session).toMatchObject({
      userId: heir.userId,
      email: heir.email,
      orgRole: 'member',
      serviceAccount: { isOwners: false },
    })
    const { key: own } = await keyOf(id, heir)
    expect((await open(own))?.session.serviceAccount).toMatchObject({ isOwners: true })
    expect([await tellInheritors(app), await tellInheritors(app)]).toEqual([1, 0])
  })

  it('can be another member whose role is high enough', async () => {
    const member = await joined('member')
    const { id, key } = await made(owner, { role: 'admin' })
    const give = (email: string) => changeServiceAccount(app, actor(admin), id, { owner: email })
    expect([await refusalOf(give(member.email)), await refusalOf(give('nobody@example.test'))]).toEqual([
      'forbidden',
      'not-found',
    ])
    await give(admin.email)
    expect((await open(key))?.session).toMatchObject({ email: admin.email, serviceAccount: { isOwners: false } })
    await changeServiceAccount(app, actor(admin), id, { role: 'member', owner: member.email })
    expect((await open(key))?.session).toMatchObject({ email: member.email, orgRole: 'member' })
  })

  it('is told a week before the last key of an account ends, once', async () => {
    const { id } = await made()
    now += 22 * DAY_IN_MS
    expect(await tellEndingKeys(app)).toBe(0)
    now += 1.5 * DAY_IN_MS
    const { keyId } = await keyOf(id)
    expect(await tellEndingKeys(app)).toBe(0)
    await endServiceKey(app, actor(owner), { id, keyId })
    expect([await tellEndingKeys(app), await tellEndingKeys(app)]).toEqual([1, 0])
  })
})

describe('managing service accounts', () => {
  it('is refused in another organization and for an unknown app role', async () => {
    const stranger = await aMember(app)
    const { id, keyId } = await made()
    const refusals = [
      changeServiceAccount(app, actor(stranger), id, { name: 'Mine' }),
      endServiceAccount(app, actor(stranger), id),
      addKey(app, stranger, id),
      endServiceKey(app, actor(stranger), { id, keyId }),
      addAccount(app, owner, { appRoles: ['nobody'] }),
    ]
    expect(await Promise.all(refusals.map(refusalOf))).toEqual([
      'not-found',
      'not-found',
      'not-found',
      'not-found',
      'unknown-app',
    ])
  })

  it('is part of each statement: a person who was demoted at that moment changes nothing', async () => {
    const { id, keyId } = await made()
    const before = actor(admin)
    await query(app, "update org_members set role = 'member' where user_id = ? and org_id = ?", [
      admin.userId,
      owner.orgId,
    ])
    const work = [
      changeServiceAccount(app, before, id, { name: 'Mine' }),
      endServiceAccount(app, before, id),
      endServiceKey(app, before, { id, keyId }),
    ]
    expect(await Promise.all(work.map(refusalOf))).toEqual(Array(3).fill('not-found'))
    expect(await listServiceAccounts(app, owner.orgId!)).toMatchObject([
      { name: 'Nightly export', keys: [{ id: keyId }] },
    ])
  })
})

describe('client_credentials', () => {
  let signer: ClientKey
  beforeEach(async () => {
    signer = await makeClientKey('ES256')
  })
  const signed = async (id: string, form: Form = {}, key = signer) =>
    grant({ ...(await signAssertion(key, assertionClaims(id, app.config.baseUrl))), ...form })

  it('gives an access token without a refresh token, by basic, post and private_key_jwt', async () => {
    const { id, key } = await made(owner, { jwks: { keys: [signer.jwk] } })
    for (const answer of [await grant({}, basicHeader(id, key)), await post(id, key), await signed(id)]) {
      expect(answer).toMatchObject({ token_type: 'Bearer', scope: 'mcp:read mcp:write' })
      expect(answer).not.toHaveProperty('refresh_token')
      expect(await open(answer.access_token)).toMatchObject({ session: { serviceAccount: { id } }, clientId: id })
    }
    expect(await authorizationServerMetadata(app)).toMatchObject({
      grant_types_supported: expect.arrayContaining(['client_credentials']),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_post', 'client_secret_basic']),
    })
  })

  it('narrows the scopes to what is asked for and allowed', async () => {
    const { id, key } = await made()
    const reader = await made(owner, { readOnly: true })
    const scopeOf = async (answer: ReturnType<typeof post>) => (await answer).scope
    expect(await scopeOf(post(id, key, { scope: 'mcp:read' }))).toBe('mcp:read')
    expect(await scopeOf(post(reader.id, reader.key, { scope: 'mcp:read mcp:write' }))).toBe('mcp:read')
    const { access_token: token } = await post(id, key, { scope: 'mcp:read' })
    expect([...((await open(token))?.scopes ?? [])]).toEqual(['mcp:read'])
    expect(await refusalOf(post(id, key, { scope: 'mcp:apps' }))).toBe('invalid_scope')
    expect(await refusalOf(post(id, key, { scope: 'admin' }))).toBe('invalid_scope')
    expect(await refusalOf(post(id, key, { resource: 'https://other.example.com/mcp' }))).toBe('invalid_target')
    expect(await refusalOf(post(id, key, { resource: `${app.config.baseUrl}/mcp` }))).toBe('done')
  })

  it('refuses every other client and every wrong credential', async () => {
    const { id, key } = await made()
    const other = await made(owner, { name: 'Other' })
    const agent = await addAgent(app, owner)
    const INVALID = { error: 'invalid_client', status: 401 }
    await expect(grant({ client_id: id })).rejects.toMatchObject(INVALID)
    await expect(grant()).rejects.toMatchObject(INVALID)
    await expect(post(id, other.key)).rejects.toMatchObject(INVALID)
    await expect(post(id, `${key}x`)).rejects.toMatchObject(INVALID)
    await expect(grant({}, basicHeader(other.id, key))).rejects.toMatchObject(INVALID)
    await expect(grant({ client_secret: key }, basicHeader(id, key))).rejects.toMatchObject(INVALID)
    await expect(signed(id)).rejects.toMatchObject(INVALID)
    const header = basicHeader(agent.clientId, agent.clientSecret)
    await expect(grant({}, header)).rejects.toMatchObject({ error: 'unauthorized_client' })
    const asserts = { client_id: id, client_secret: key, grant_type: ASSERTION_GRANT, assertion: 'x' }
    await expect(answerTokenRequest(app, { form: asserts })).rejects.toMatchObject({ error: 'unauthorized_client' })
  })

  it('ends no token at the revocation endpoint, and says so (RFC 7009 §2.2.1)', async () => {
    const { id, key } = await made()
    const { access_token: token } = await post(id, key)
    const form = { client_id: id, client_secret: key, token }
    await expect(revokeToken(app, { form })).rejects.toMatchObject({ error: 'unsupported_token_type' })
    expect(await isOpen(token)).toBe(true)
  })

  it('ends tokens with the public keys that signed for them', async () => {
    const { id } = await addAccount(app, owner, { jwks: { keys: [signer.jwk] } })
    const { access_token: token } = await signed(id)
    const next = await makeClientKey('ES256')
    now += 1000
    await changeServiceAccount(app, actor(owner), id, { jwks: { keys: [next.jwk] } })
    expect(await isOpen(token)).toBe(false)
    expect(await refusalOf(signed(id))).toBe('invalid_client')
    const { access_token: newer } = await signed(id, {}, next)
    expect(await isOpen(newer)).toBe(true)
    await changeServiceAccount(app, actor(owner), id, { jwks: null })
    expect(await isOpen(newer)).toBe(false)
  })
})
