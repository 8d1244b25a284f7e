import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  makePersonalToken,
  mcpChallenge,
} from '#fairway/server/domains/oauth-server'
import { removeMember, requireOrg } from '#fairway/server/domains/organizations'
import { updateOrganization } from '#fairway/server/domains/organizations/organization'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { unseal } from '#fairway/server/kernel/crypto/seal'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { addTo, aMember } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const test = useTestApp()
let app: App
let owner: Session
let good: string

const issue = async (person: Session, on: App = app) =>
  (await answerTokenRequest(on, { form: await approve(on, person) })).access_token

beforeEach(async () => {
  app = test.app
  owner = await aMember(app)
  good = await issue(owner)
})
const later = (seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map(text => JSON.parse(Buffer.from(text, 'base64url').toString())) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ]
const isAccepted = async (token: string, on: App = app) => (await authenticateAccessToken(on, token)) !== null

/** Signs any header and claims with the server's own key. */
async function signed(header: Record<string, unknown>, claims: Record<string, unknown>): Promise<string> {
  const [row] = await query(app, 'select id, sealed_private_jwk as sealed from oauth_keys')
  const jwk = JSON.parse(unseal(app.config.keys, 'oauth-signing-key', String(row?.sealed), String(row?.id)))
  const key = await importJWK(jwk, 'ES256')
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: String(row?.id), ...header }).sign(key)
}

describe('access token', () => {
  it('authenticates the person in the organization of the grant', async () => {
    const access = await authenticateAccessToken(app, good)
    expect(access).toMatchObject({
      session: {
        userId: owner.userId,
        email: owner.email,
        emailVerified: true,
        name: owner.name,
        image: null,
        orgId: owner.orgId,
        orgName: owner.orgName,
        orgRole: 'owner',
        provider: 'mcp',
      },
      scopes: new Set(['mcp:read', 'mcp:write']),
      mayDelete: true,
      clientId: 'https://host.example.com/client.json',
      grantId: expect.any(String),
    })
    expect(JSON.stringify(access)).not.toContain(good)
  })

  it('returns the current email and role of the person', async () => {
    await query(app, 'update users set email = ? where id = ?', ['new@example.test', owner.userId])
    const member = await aMember(app)
    await addTo(app, owner, member, 'member')
    const token = await issue({ ...member, orgId: owner.orgId })
    await query(app, `update org_members set role = 'admin' where user_id = ? and org_id = ?`, [
      member.userId,
      owner.orgId,
    ])
    const elsewhere = { ...app, memo: createMemo() }
    expect((await authenticateAccessToken(elsewhere, good))?.session.email).toBe('new@example.test')
    expect((await authenticateAccessToken(elsewhere, token))?.session.orgRole).toBe('admin')
  })

  it('is read-only while its organization requires it, and regains its scopes afterwards', async () => {
    const limit = (agentsReadOnly: boolean) => updateOrganization(app, owner, { agentsReadOnly })
    await limit(true)
    expect(await authenticateAccessToken(app, good)).toMatchObject({ isReadOnly: true, scopes: new Set(['mcp:read']) })
    await limit(false)
    const scopes = new Set(['mcp:read', 'mcp:write'])
    expect(await authenticateAccessToken(app, good)).toMatchObject({ isReadOnly: false, scopes })
    const member = { ...owner, orgRole: 'member' as const }
    await expect(updateOrganization(app, member, { agentsReadOnly: true })).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('expires after an hour', async () => {
    expect(await isAccepted(good, later(3590))).toBe(true)
    expect(await isAccepted(good, later(3601))).toBe(false)
  })

  it('is rejected by every instance on the next call after the member is removed, also after rejoining', async () => {
    const member = await aMember(app)
    await addTo(app, owner, member, 'member')
    const token = await issue({ ...member, orgId: owner.orgId })
    const elsewhere = { ...app, memo: createMemo() }
    expect(await isAccepted(token, elsewhere)).toBe(true)
    await removeMember(app, requireOrg(owner, 'remove-member'), member.email)
    expect(await isAccepted(token, elsewhere)).toBe(false)
    expect(
      await query(app, 'select revoked_reason from oauth_grants where user_id = ? and revoked_at > 0', [member.userId]),
    ).toMatchObject([{ revoked_reason: 'membership-ended' }])
    // Joining again does not restore the connection.
    await addTo(app, owner, member, 'member')
    expect(await isAccepted(token)).toBe(false)
    expect(await isAccepted(good)).toBe(true)
  })

  it('is rejected within a minute after its key was deleted', async () => {
    expect(await isAccepted(good)).toBe(true)
    await query(app, 'delete from oauth_keys')
    expect(await isAccepted(good, later(61))).toBe(false)
    expect(await isAccepted(await issue(owner, later(62)), later(63))).toBe(true)
  })

  it('is rejected in production for a development account', async () => {
    await query(app, `update users set kind = 'dev' where id = ?`, [owner.userId])
    expect(await isAccepted(good)).toBe(true)
    const config = { ...app.config, environment: 'production' as const }
    expect(await isAccepted(good, { ...app, config, memo: createMemo() })).toBe(false)
  })

  it('records its last use once in five minutes', async () => {
    const before = (await query(app, 'select last_used_at from oauth_grants'))[0]?.last_used_at
    await authenticateAccessToken(app, good)
    await backgroundDone(app)
    expect((await query(app, 'select last_used_at from oauth_grants'))[0]?.last_used_at).toBe(before)
    const soon = later(301)
    await authenticateAccessToken(soon, good)
    await backgroundDone(soon)
    expect(Number((await query(app, 'select last_used_at from oauth_grants'))[0]?.last_used_at)).toBeGreaterThan(
      Number(before),
    )
  })
})

/** Changes to the person or their grants, and what the next call sees. */
const changes: { what: string; sql: string; sees: (access: Awaited<ReturnType<typeof seen>>) => void }[] = [
  {
    what: 'a grant that is revoked',
    sql: `update oauth_grants set revoked_at = 1, revoked_reason = 'person' where user_id = ?`,
    sees: access => expect(access).toBeNull(),
  },
  {
    what: 'a membership that has ended',
    sql: 'delete from org_members where user_id = ?',
    sees: access => expect(access).toBeNull(),
  },
  {
    what: 'an account that is closed',
    sql: 'delete from users where id = ?',
    sees: access => expect(access).toBeNull(),
  },
  {
    what: 'a role that has changed',
    sql: `update org_members set role = 'member' where user_id = ?`,
    sees: access => expect(access?.orgRole).toBe('member'),
  },
  {
    what: 'an organization that asks for another provider',
    sql: `update organizations set required_auth_provider = 'somewhere' where id in (select org_id from org_members where user_id = ?)`,
    sees: access => expect(access).toMatchObject({ orgId: null, orgRole: null, closedOrg: { provider: 'somewhere' } }),
  },
  {
    what: 'a grant that ends earlier',
    sql: 'update oauth_grants set expires_at = 1 where user_id = ?',
    sees: access => expect(access).toBeNull(),
  },
]

const seen = async (token: string, on: App) => (await authenticateAccessToken(on, token))?.session ?? null

describe.each(['access token', 'personal token'])('cached authentication of the %s', kind => {
  let token: string
  beforeEach(async () => {
    const made = async () =>
      makePersonalToken(app, { ...owner, id: null }, { name: 'Script', scopes: ['mcp:read'], expiresInDays: 7 })
    token = kind === 'access token' ? good : (await made()).token
  })

  it.each(changes)('is updated on the next call, in this and another process: $what', async ({ sql, sees }) => {
    const other = await createTestApp({ DATABASE_URL: app.config.database.url })
    try {
      for (const instance of [app, other.app, app, other.app])
        expect((await seen(token, instance))?.orgRole).toBe('owner')
      await app.db.client.execute({ sql, args: [owner.userId] })
      for (const instance of [other.app, app]) sees(await seen(token, instance))
    } finally {
      await other.close()
    }
  })

  it('is not used after the token expires', async () => {
    const [row] = await query(app, 'select min(expires_at) as ends from oauth_grants')
    const ends = kind === 'access token' ? Date.now() + 3_600_000 : Number(row?.ends)
    const at = (time: number): App => ({ ...app, now: () => new Date(time) })
    expect(await seen(token, at(ends - 5000))).not.toBeNull()
    expect(await seen(token, at(ends - 5000))).not.toBeNull()
    expect(await seen(token, at(ends + 5000))).toBeNull()
  })

  it('is not shared between calls', async () => {
    const first = await authenticateAccessToken(app, token)
    Object.assign(first?.session ?? {}, { orgRole: 'member', orgId: 'another', email: 'another@example.test' })
    const { session, scopes } = (await authenticateAccessToken(app, token)) ?? {}
    expect(session).toMatchObject({ orgRole: 'owner', orgId: owner.orgId, email: owner.email })
    expect(scopes).not.toBe(first?.scopes)
  })
})

it('tokens of one grant keep their own scopes and expiry', async () => {
  const [header, claims] = partsOf(good)
  const narrow = await signed(header, { ...claims, jti: 'another', scope: 'mcp:read', exp: Number(claims.exp) - 60 })
  for (let round = 0; round < 2; round++) {
    const [wide, less] = [await authenticateAccessToken(app, good), await authenticateAccessToken(app, narrow)]
    expect(wide?.scopes).toEqual(new Set(['mcp:read', 'mcp:write']))
    expect(less?.scopes).toEqual(new Set(['mcp:read']))
    expect(less?.session.expiresAt).not.toBe(wide?.session.expiresAt)
  }
})

describe('invalid access token', () => {
  it.each(['', 'x', 'a.b.c', '..', 'null', 'eyJhbGciOiJub25lIn0..', 'é'.repeat(50), 'a.'.repeat(9000)])(
    '%# is rejected',
    async token => expect(await isAccepted(token)).toBe(false),
  )

  it.each(['none', 'None', 'NONE', 'nOnE', ''])('with the algorithm %j is rejected', async alg => {
    const [header, claims] = partsOf(good)
    for (const signature of ['', good.split('.')[2]]) {
      expect(await isAccepted(`${part({ ...header, alg })}.${part(claims)}.${signature}`)).toBe(false)
    }
  })

  it('with a changed payload, another key, or the public key as a secret is rejected', async () => {
    const [header, claims] = partsOf(good)
    const [, , signature] = good.split('.')
    expect(await isAccepted(`${part(header)}.${part({ ...claims, sub: 'user-2' })}.${signature}`)).toBe(false)
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const other = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' })
    expect(await isAccepted(await other.sign(privateKey))).toBe(false)
    const jwk = await exportJWK(publicKey)
    const own = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256', jwk, jku: 'https://evil.example/' })
    expect(await isAccepted(await own.sign(privateKey))).toBe(false)
    const [row] = await query(app, 'select public_jwk from oauth_keys')
    const known = await importJWK(JSON.parse(String(row?.public_jwk)), 'ES256', { extractable: true })
    const pem = await exportSPKI(known as CryptoKey)
    const text = `${part({ ...header, alg: 'HS256' })}.${part(claims)}`
    expect(await isAccepted(`${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`)).toBe(false)
  })

  it.each(['../../etc/passwd', '', "' or 1=1 --", 'x'.repeat(5000), 7, null, { a: 1 }])(
    'with the kid %j is rejected',
    async kid => {
      const [header, claims] = partsOf(good)
      expect(await isAccepted(`${part({ ...header, kid })}.${part(claims)}.${good.split('.')[2]}`)).toBe(false)
    },
  )

  it('is rejected when our own key signed it for another purpose', async () => {
    const [, claims] = partsOf(good)
    const typ = 'at+jwt'
    expect(await isAccepted(await signed({ typ }, claims))).toBe(true)
    for (const header of [{}, { typ: 'JWT' }, { typ: 'a2a+jwt' }, { typ: 'AT+JWT' }, { typ, crit: ['x'], x: 1 }])
      expect(await isAccepted(await signed(header, claims).catch(() => ''))).toBe(false)
    const mcp = String(claims.aud)
    const wrong: Record<string, unknown>[] = [
      { aud: `${mcp}/` },
      { aud: app.config.baseUrl },
      { aud: mcp.slice(0, -1) },
      { aud: [mcp, 'https://other.example'] },
      { iss: 'https://other.example' },
      { sub: 'user-2' },
      { org_id: 'another' },
      { client_id: 'another' },
      { grant_id: 'another' },
      { exp: Math.floor(Date.now() / 1000) - 1 },
      { nbf: Math.floor(Date.now() / 1000) + 60 },
      ...Object.keys(claims).map(name => ({ [name]: undefined })),
    ]
    for (const change of wrong) {
      expect(await isAccepted(await signed({ typ }, { ...claims, ...change })), JSON.stringify(change)).toBe(false)
    }
  })
})

describe('mcpChallenge', () => {
  it('contains the metadata URL, and the default or missing scopes', () => {
    const config = { baseUrl: 'https://app.example.com' }
    const start =
      'Bearer resource_metadata="https://app.example.com/.well-known/oauth-protected-resource/mcp", scope="mcp:read mcp:write"'
    expect(mcpChallenge(config)).toBe(start)
    expect(mcpChallenge(config, { error: 'invalid_token' })).toBe(`${start}, error="invalid_token"`)
    expect(mcpChallenge(config, { error: 'insufficient_scope', scope: ['mcp:apps'] })).toContain(
      'scope="mcp:apps", error="insufficient_scope"',
    )
  })
})
