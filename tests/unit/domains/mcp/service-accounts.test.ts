import {
  Client,
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import {
  ClientCredentialsProvider as EarlierCredentials,
  PrivateKeyJwtProvider as EarlierPrivateKey,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { makeClientKey } from '../../../support/client-assertion'
import { statusAndCode } from '../../../support/error-code'
import { useServer } from '../../../support/use-server'
import { connectHost } from '../../../support/mcp'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const ACCOUNTS = '/_fw/org/service-accounts'
const server = useServer()
const world = createTeamWorld(server)

type Wanted = Record<string, unknown>
const add = (by: TeamPerson, wanted: Wanted = {}) =>
  by.browser.post(ACCOUNTS, {
    json: { name: 'Nightly export', role: 'member', scopes: ['mcp:read', 'mcp:write'], ...wanted },
  })
const makeKey = (by: TeamPerson, id: string) =>
  by.browser.post(`${ACCOUNTS}/${id}/keys`, { json: { expiresInDays: 30 } })

async function made(by: TeamPerson, wanted: Wanted = {}): Promise<{ id: string; key: string }> {
  const added = await add(by, wanted)
  expect(added.status).toBe(201)
  const { id } = await added.json()
  const answer = await makeKey(by, id)
  expect(answer.status).toBe(201)
  return { id, key: (await answer.json()).key }
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const call = (token: string, name: string, input: object = {}) =>
  fetch(`${server.origin}/_fw/actions/${name}`, {
    method: 'POST',
    headers: bearer(token),
    body: JSON.stringify(input),
  })
const get = (token: string, path: string) => fetch(server.origin + path, { headers: bearer(token) })
async function tokenOf({ id, key }: { id: string; key: string }): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: key })
  const answer = await fetch(`${server.origin}/mcp/oauth/token`, { method: 'POST', body })
  return (await answer.json()).access_token
}
/** The first text of what a tool returns. */
async function callTool(token: string, name: string, input: Record<string, unknown>) {
  const host = await connectHost(server.origin, token)
  try {
    return await host.callTool({ name, arguments: input })
  } finally {
    await host.close()
  }
}
const newNote = async (token: string, title: string): Promise<string> => {
  const answer = await call(token, 'create-note', { title })
  expect(answer.status).toBe(200)
  return (await answer.json()).result.note.id
}

describe('the key of a service account', () => {
  it('calls actions, tools and collections, and the audit log names the account and who made it', async () => {
    const { owner, admin } = await world.team()
    const { id, key } = await made(admin, { name: 'Nightly sync' })
    const note = await newNote(key, 'From a machine')
    const listed = await get(key, '/note-list')
    expect([listed.status, JSON.stringify(await listed.json())]).toEqual([200, expect.stringContaining(note)])
    const read = await callTool(key, 'get-note', { id: note })
    expect(read.structuredContent).toMatchObject({ note: { id: note, title: 'From a machine' } })
    expect(await query(server, 'select owner_email as owner from notes where id = ?', [note])).toEqual([
      { owner: admin.email },
    ])
    const log = await (await owner.browser.get('/_fw/org/audit?action=create-note')).json()
    expect(log.entries).toMatchObject([{ via: id, userEmail: admin.email, outcome: 'ok' }])
    expect(log.hosts).toEqual({ [id]: `Nightly sync (${admin.email})` })
    const { accounts } = await (await owner.browser.get(ACCOUNTS)).json()
    expect(accounts).toMatchObject([{ id, createdBy: admin.email, keys: [{ end: key.slice(-4) }] }])
  })

  it.each([
    ['read', ['mcp:read'], [200, 403, 200]],
    ['write', ['mcp:write'], [403, 200, 403]],
    ['both', ['mcp:read', 'mcp:write'], [200, 200, 200]],
  ] as const)('is limited to its scopes: %s', async (_name, scopes, expected) => {
    const { key } = await made(await world.person(), { scopes })
    const answers = await Promise.all([
      call(key, 'list-notes'),
      call(key, 'create-note', { title: 'Note' }),
      get(key, '/note-list'),
    ])
    expect(answers.map(({ status }) => status)).toEqual(expected)
  })

  it('never opens a session, a page, an approval or an operation without tokens', async () => {
    const owner = await world.person()
    const { id, key } = await made(owner, { role: 'admin' })
    expect(await (await get(key, '/_fw/session')).json()).toEqual({ session: null })
    const paths = ['/_fw/org', '/_fw/tokens', '/_fw/org/members', '/_fw/sessions', ACCOUNTS]
    const statuses = await Promise.all(paths.map(async path => (await get(key, path)).status))
    expect(statuses).toEqual(paths.map(() => 401))
    const send = (path: string, body: object) =>
      fetch(server.origin + path, { method: 'POST', headers: bearer(key), body: JSON.stringify(body) })
    const refused = [
      await send(ACCOUNTS, { name: 'Another', role: 'member', scopes: ['mcp:read'] }),
      await send(`${ACCOUNTS}/${id}/keys`, { expiresInDays: 30 }),
      await fetch(`${server.origin}/approvals/00000000-0000-7000-8000-000000000000`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'answer=approve',
        redirect: 'manual',
      }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
    // Operations that take tokens are those of operators.
    expect(await statusAndCode(await get(key, '/_fw/operator/jobs'))).toEqual([403, 'insufficient-scope'])
  })

  it('deletes at once where the account was made with it, and else waits for its owner of record', async () => {
    const owner = await world.person()
    const careful = await made(owner)
    const bold = await made(owner, { name: 'Cleaner', destructive: true })
    const note = await newNote(careful.key, 'Kept')
    const waits = await call(careful.key, 'delete-note', { id: note })
    expect(waits.status).toBe(409)
    const { approval } = await waits.json()
    const waiting = { isError: true, _meta: { 'fairway/approval': { state: 'waiting', id: approval.id } } }
    expect(await callTool(careful.key, 'delete-note', { id: note })).toMatchObject(waiting)
    await owner.browser.post(`/approvals/${approval.id}`, { form: { decision: 'approve' } })
    expect(await query(server, 'select id from notes where id = ?', [note])).toHaveLength(1)
    expect((await call(careful.key, 'delete-note', { id: note })).status).toBe(200)
    const other = await newNote(careful.key, 'Gone')
    expect((await call(bold.key, 'delete-note', { id: other })).status).toBe(200)
    expect(await query(server, 'select id from notes where id in (?, ?)', [note, other])).toEqual([])
  })

  it('only reads where the organization says so, and the refusal is in the audit log', async () => {
    const owner = await world.person()
    const { id, key } = await made(owner)
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { agentsReadOnly: true } })
    expect((await call(key, 'list-notes')).status).toBe(200)
    expect(await statusAndCode(await call(key, 'create-note', { title: 'No' }))).toEqual([403, 'agents-read-only'])
    const [row] = await query(server, 'select via, outcome, error_code as code from audit_log where via = ?', [id])
    expect(row).toEqual({ via: id, outcome: 'denied', code: 'agents-read-only' })
  })

  it('acts in its own organization alone', async () => {
    const { owner, outsider } = await world.team()
    const { key } = await made(owner)
    const { key: theirs } = await made(outsider)
    const note = await newNote(theirs, 'Elsewhere')
    expect(await statusAndCode(await call(key, 'get-note', { id: note }))).toEqual([404, 'not-found'])
  })

  it('does not reach the private rows of its owner of record when somebody else made the key', async () => {
    const { owner, admin } = await world.team()
    const { id, key } = await made(owner)
    const note = await newNote(key, 'Private to the owner')
    const other = (await (await makeKey(admin, id)).json()).key
    expect((await call(key, 'get-note', { id: note })).status).toBe(200)
    expect(await statusAndCode(await call(other, 'get-note', { id: note }))).toEqual([404, 'not-found'])
    expect(await (await call(other, 'list-notes')).json()).toMatchObject({ result: { notes: [] } })
  })
})

describe('a token of client_credentials', () => {
  it('opens /mcp alone', async () => {
    const { id, key } = await made(await world.person())
    const token = await tokenOf({ id, key })
    expect(await callTool(token, 'create-note', { title: 'By a token' })).toMatchObject({
      structuredContent: { note: { title: 'By a token' } },
    })
    expect((await call(token, 'list-notes')).status).toBe(401)
    expect((await get(token, '/note-list')).status).toBe(401)
  })

  it("is what the official SDK's providers get, with a key and with a signed assertion", async () => {
    const owner = await world.person()
    const signer = await makeClientKey('ES256')
    const { id, key } = await made(owner, { jwks: { keys: [signer.jwk] }, readOnly: true })
    const secret = { clientId: id, clientSecret: key, expectedIssuer: server.origin }
    const signed = {
      clientId: id,
      privateKey: { ...signer.privateJwk },
      algorithm: 'ES256',
      expectedIssuer: server.origin,
    }
    const url = new URL(`${server.origin}/mcp`)
    for (const authProvider of [new ClientCredentialsProvider(secret), new PrivateKeyJwtProvider(signed)]) {
      const client = new Client({ name: 'machine', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
      expect(await client.callTool({ name: 'list-notes', arguments: {} })).toMatchObject({
        structuredContent: { notes: [] },
      })
      await client.close()
    }
    for (const authProvider of [new EarlierCredentials(secret), new EarlierPrivateKey(signed)]) {
      const client = new EarlierClient({ name: 'machine', version: '1' })
      await client.connect(new EarlierTransport(url, { authProvider }))
      expect(await client.callTool({ name: 'list-notes', arguments: {} })).toMatchObject({
        structuredContent: { notes: [] },
      })
      await client.close()
    }
  })
})

describe('/_fw/org/service-accounts', () => {
  it('needs a recent sign-in for a key and for public keys, and leaves audit rows without secrets', async () => {
    const owner = await world.person()
    const { id, key } = await made(owner)
    await query(server, 'update sessions set created_at = created_at - 3600000')
    const signer = await makeClientKey('ES256')
    const answers = [
      await makeKey(owner, id),
      await add(owner, { jwks: { keys: [signer.jwk] } }),
      await owner.browser.request(`${ACCOUNTS}/${id}`, { method: 'PATCH', json: { jwks: { keys: [signer.jwk] } } }),
    ]
    expect(await Promise.all(answers.map(statusAndCode))).toEqual(answers.map(() => [403, 'fresh-session-required']))
    const changed = { method: 'PATCH', json: { name: 'Renamed', scopes: ['mcp:read'] } }
    expect((await owner.browser.request(`${ACCOUNTS}/${id}`, changed)).status).toBe(204)
    expect((await owner.browser.request(`${ACCOUNTS}/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await call(key, 'list-notes')).status).toBe(401)
    const { entries } = await (await owner.browser.get('/_fw/org/audit')).json()
    expect(JSON.stringify(entries)).not.toContain(key)
    const actions = entries
      .filter(({ outcome }: { outcome: string }) => outcome === 'ok')
      .map((each: { action: string }) => each.action)
    expect(actions).toEqual(
      expect.arrayContaining([
        'add-service-account',
        'make-service-key',
        'change-service-account',
        'end-service-account',
      ]),
    )
  })

  it('refuses the role of an owner, unknown scopes and private keys', async () => {
    const owner = await world.person()
    const { privateJwk } = await makeClientKey('ES256')
    const wrong = [{ role: 'owner' }, { scopes: ['operator'] }, { scopes: [] }, { jwks: { keys: [privateJwk] } }]
    const answers = await Promise.all(wrong.map(async wanted => statusAndCode(await add(owner, wanted))))
    expect(answers).toEqual(wrong.map(() => [400, 'invalid-input']))
  })
})
