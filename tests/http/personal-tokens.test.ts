import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { fw } from '../support/fw'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { connectHost } from '../support/mcp'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const TOKENS = '/_fw/tokens'
let server: TestServer
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  server = await borrowServer()
  world = createTeamWorld(server)
})
afterAll(() => server.stop())

const read = ['mcp:read']
const write = ['mcp:read', 'mcp:write']

async function made(browser: TestBrowser, more: Record<string, unknown> = {}): Promise<{ token: string; id: string }> {
  const answer = await browser.post(TOKENS, { json: { name: 'Script', scopes: write, expiresInDays: 30, ...more } })
  expect(answer.status).toBe(201)
  return answer.json()
}

const call = (token: string, name: string, input: Record<string, unknown> = {}) =>
  fetch(`${server.origin}/_fw/actions/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
const revoke = (browser: TestBrowser, id: string) => browser.request(`${TOKENS}/${id}`, { method: 'DELETE' })
const eventsOf = async (userId: string) =>
  (await query(server, 'select kind from security_events where user_id = ? order by id', [userId])).map(
    ({ kind }) => kind,
  )

describe('a personal token', () => {
  it('calls actions and tools as its person, is told once and kept as a hash', async () => {
    const ada = await world.person()
    const { token, id } = await made(ada.browser)
    expect(token).toMatch(/^fwp_[\w-]{43}$/)
    const created = await call(token, 'create-note', { title: 'From a script' })
    expect([created.status, (await created.json()).result]).toMatchObject([200, { note: { title: 'From a script' } }])
    const host = await connectHost(server.origin, token)
    expect((await host.listTools()).tools.map(({ name }) => name)).toContain('list-notes')
    await host.close()

    const listed = await (await ada.browser.get(TOKENS)).text()
    expect(listed).not.toContain(token)
    expect(JSON.parse(listed).tokens).toMatchObject([
      { id, name: 'Script', scopes: [{ scope: 'mcp:read' }, { scope: 'mcp:write' }] },
    ])
    expect((await (await ada.browser.get('/_fw/grants')).json()).grants).toEqual([])
    const rows = await query(server, 'select * from oauth_grants where id = ?', [id])
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(server.log()).not.toContain(token)
    const [audit] = await query(
      server,
      "select via, caller from audit_log where action = 'create-note' order by rowid desc limit 1",
    )
    expect(audit).toMatchObject({ via: 'personal-token', caller: 'http' })
    await expect.poll(() => eventsOf(ada.userId)).toEqual(expect.arrayContaining(['token-made', 'token-used']))
  })

  it('opens nothing else: no session, no settings, no other route', async () => {
    const ada = await world.person()
    const { token } = await made(ada.browser)
    const headers = { authorization: `Bearer ${token}` }
    const session = await fetch(`${server.origin}/_fw/session`, { headers })
    expect(await session.json()).toEqual({ session: null })
    for (const path of [TOKENS, '/_fw/org', '/_fw/sessions', '/_fw/linked-accounts', '/_fw/security-events/mine']) {
      const answer = await fetch(server.origin + path, { headers })
      expect([path, answer.status]).toEqual([path, 401])
      await answer.arrayBuffer()
    }
  })

  it('does what its scopes say', async () => {
    const ada = await world.person()
    const { token } = await made(ada.browser, { scopes: read })
    expect((await call(token, 'list-notes')).status).toBe(200)
    expect(await statusAndCode(await call(token, 'create-note', { title: 'No' }))).toEqual([403, 'insufficient-scope'])
  })

  it('ends on the next call when it is revoked, has expired, or its person has left', async () => {
    const { owner, member } = await world.team()
    const tokens = [await made(member.browser), await made(member.browser, { name: 'Other' })]
    for (const { token } of tokens) expect((await call(token, 'list-notes')).status).toBe(200)
    expect((await revoke(member.browser, tokens[0]?.id ?? '')).status).toBe(204)
    expect((await call(tokens[0]?.token ?? '', 'list-notes')).status).toBe(401)
    expect(await statusAndCode(await revoke(member.browser, tokens[0]?.id ?? ''))).toEqual([404, 'not-found'])
    expect(await statusAndCode(await revoke(owner.browser, tokens[1]?.id ?? ''))).toEqual([404, 'not-found'])

    const expiring = await made(member.browser, { name: 'Short' })
    await query(server, 'update oauth_grants set expires_at = 1 where id = ?', [expiring.id])
    expect((await call(expiring.token, 'list-notes')).status).toBe(401)

    const removed = await owner.browser.request(`/_fw/org/members/${encodeURIComponent(member.email)}`, {
      method: 'DELETE',
    })
    expect(removed.status).toBeLessThan(300)
    expect((await call(tokens[1]?.token ?? '', 'list-notes')).status).toBe(401)
    await expect.poll(() => eventsOf(member.userId)).toContain('token-revoked')
  })

  it('is seen and revoked by an admin of its organization', async () => {
    const { admin, member } = await world.team()
    const { token, id } = await made(member.browser)
    const { grants } = await (await admin.browser.get('/_fw/org/grants')).json()
    expect(grants).toMatchObject([{ id, isToken: true, clientName: 'Script', email: member.email, lastUsedAt: null }])
    expect((await admin.browser.request(`/_fw/org/grants/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await call(token, 'list-notes')).status).toBe(401)
  })

  it('is made for an organization of the person alone, with a name, scopes and a life that exist', async () => {
    const [ada, bob] = [await world.person(), await world.person()]
    const { orgId } = await sessionOf(bob.browser)
    const input = { name: 'Script', scopes: read, expiresInDays: 7 }
    const post = (json: Record<string, unknown>) => ada.browser.post(TOKENS, { json: { ...input, ...json } })
    expect(await statusAndCode(await post({ orgId }))).toEqual([403, 'forbidden'])
    for (const wrong of [
      { name: ' ' },
      { scopes: [] },
      { scopes: ['offline_access'] },
      { expiresInDays: 8 },
      { name: 'a'.repeat(61) },
    ])
      expect([wrong, await statusAndCode(await post(wrong))]).toEqual([wrong, [400, 'invalid-input']])
    expect((await createBrowser(server.origin).post(TOKENS, { json: input })).status).toBe(401)
    for (const wrong of ['fwp_', 'fwp_not-a-token']) expect((await call(wrong, 'list-notes')).status).toBe(401)
  })

  it('is one of fifty at most, also when many are made at once', async () => {
    const ada = await world.person()
    const answers = await Promise.all(
      Array.from({ length: 55 }, (_, number) =>
        ada.browser.post(TOKENS, { json: { name: `Token ${number}`, scopes: read, expiresInDays: 7 } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50)
    const refused = answers.find(({ status }) => status !== 201)
    expect(refused && (await statusAndCode(refused))).toEqual([409, 'too-many-tokens'])
  })
})

describe('fw action --at', () => {
  it('runs an action of an application elsewhere with FW_TOKEN, with values of the right kinds', async () => {
    const ada = await world.person()
    const { token, id } = await made(ada.browser)
    const env = { FW_TOKEN: token }
    const created = await fw(['action', 'create-note', '--title', '42', '--at', server.origin], env)
    expect([created.code, created.err, JSON.parse(created.out)]).toMatchObject([0, '', { note: { title: '42' } }])
    const listed = await fw(['action', 'list-notes', '--at', server.origin, '--itemsPerPage', '1', '--raw'], env)
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('"42"')])
    const byOption = await fw(['action', 'list-notes', '--at', server.origin, '--token', token])
    expect(byOption.code).toBe(0)

    await revoke(ada.browser, id)
    const refused = await fw(['action', 'list-notes', '--at', server.origin], env)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('(unauthenticated)')])
    const without = await fw(['action', 'list-notes', '--at', server.origin])
    expect([without.code, without.err]).toEqual([1, expect.stringContaining('There is no token.')])
    const open = await fw(['action', 'list-notes', '--at', 'http://app.example.com'], env)
    expect([open.code, open.err]).toEqual([1, expect.stringContaining('is not encrypted')])
  })
})
