import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { fw } from '../support/fw'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { newestMail } from '../support/mail'
import { connectHost } from '../support/mcp'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const TOKENS = '/_fw/tokens'
const server = useServer()
const world = createTeamWorld(server)

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

describe('API token', () => {
  it('calls actions and tools as its owner, is shown once and stored as a hash', async () => {
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

  it('does not open sessions, settings or other routes', async () => {
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

  it('is limited to its scopes', async () => {
    const ada = await world.person()
    const { token } = await made(ada.browser, { scopes: read })
    expect((await call(token, 'list-notes')).status).toBe(200)
    expect(await statusAndCode(await call(token, 'create-note', { title: 'No' }))).toEqual([403, 'insufficient-scope'])
  })

  it('can only read when the organization says so, regardless of its scopes', async () => {
    const ada = await world.person()
    const { token } = await made(ada.browser)
    const limit = { method: 'PATCH', json: { agentsReadOnly: true } }
    expect(await (await ada.browser.request('/_fw/org', limit)).json()).toMatchObject({ agentsReadOnly: true })
    expect((await call(token, 'list-notes')).status).toBe(200)
    expect(await statusAndCode(await call(token, 'create-note', { title: 'No' }))).toEqual([403, 'agents-read-only'])
    expect(await query(server, "select action, outcome from audit_log where error_code = 'agents-read-only'")).toEqual([
      { action: 'create-note', outcome: 'denied' },
    ])
  })

  it('stops working on the next call when it is revoked or expired, or its owner has left', async () => {
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

  it('can be listed and revoked by an admin of its organization', async () => {
    const { admin, member } = await world.team()
    const { token, id } = await made(member.browser)
    const { grants } = await (await admin.browser.get('/_fw/org/grants')).json()
    expect(grants).toMatchObject([{ id, isToken: true, clientName: 'Script', email: member.email, lastUsedAt: null }])
    expect((await admin.browser.request(`/_fw/org/grants/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await call(token, 'list-notes')).status).toBe(401)
  })

  it('requires one of the owner’s organizations and a valid name, scopes and lifetime', async () => {
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

  it('is limited to 50 per person, even with simultaneous requests', async () => {
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

describe('POST /_fw/tokens', () => {
  it('returns 403 when the sign-in is older than 15 minutes, before it reads the body', async () => {
    const ada = await world.person()
    await query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [ada.userId])
    const headers = { 'content-type': 'text/plain' }
    const answer = await ada.browser.post(TOKENS, { json: 'no object', headers })
    expect(await statusAndCode(answer)).toEqual([403, 'fresh-session-required'])
    expect(await query(server, 'select id from oauth_grants where user_id = ?', [ada.userId])).toEqual([])
  })

  it('emails the account owner in their language', async () => {
    const [ada, bob] = [await world.person(), await world.person()]
    expect((await bob.browser.post('/_fw/auth/update-user', { json: { language: 'de' } })).status).toBe(200)
    await made(ada.browser, { name: 'Nightly script' })
    await made(bob.browser, { name: 'Nightly script', expiresInDays: 365 })
    const textTo = ({ email }: { email: string }) => newestMail(server.dataDir, email).text
    await expect.poll(() => textTo(ada)).toContain('Name: Nightly script')
    await expect.poll(() => textTo(bob)).toContain('Läuft ab: ')
    expect(textTo(ada)).toContain('/settings/apps')
  })
})

describe('GET /note-list with an API token', () => {
  const LIST = '/note-list'
  const FORMATS = ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json']
  const get = (token: string, path: string, more: RequestInit = {}) =>
    fetch(server.origin + path, { ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } })
  const titlesIn = (text: string) => [...text.matchAll(/"title":"([^"]*)"/g)].map(([, title]) => title).toSorted()
  const titles = async (token: string, accept = '*/*') =>
    titlesIn(await (await get(token, LIST, { headers: { accept } })).text())
  const ownTitles = async ({ browser }: TeamPerson) => titlesIn(await (await browser.get(LIST)).text())
  const note = async ({ browser }: TeamPerson, title: string): Promise<string> =>
    (await (await browser.post('/_fw/actions/create-note', { json: { title } })).json()).result.note.id
  async function workIn({ browser }: TeamPerson, orgId: string) {
    const answer = await browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })
    expect(answer.status).toBe(200)
  }

  /** Two people with notes in one organization. The second one has a token and now works in another organization. */
  async function colleagues() {
    const [owner, member, outsider] = [await world.person(), await world.person(), await world.person()]
    const { orgId: elsewhere } = await sessionOf(member.browser)
    const { orgId } = await sessionOf(owner.browser)
    await world.join(owner, 'member', member)
    const [plan, secret] = [await note(member, 'Plan'), await note(owner, 'Secret')]
    const { token, id } = await made(member.browser, { scopes: read })
    const of = { owner: await made(owner.browser, { scopes: read }), outsider: await made(outsider.browser) }
    await workIn(member, elsewhere)
    const diary = await note(member, 'Diary')
    return { orgId, owner, member, token, id, of, plan, secret, diary }
  }

  it('returns the token owner’s rows in the token’s organization', async () => {
    const { owner, member, token, of } = await colleagues()
    for (const accept of [...FORMATS, ...FORMATS]) {
      expect(await titles(token, accept)).toEqual(['Plan'])
      expect(await titles(of.owner.token, accept)).toEqual(['Secret'])
      expect(await titles(of.outsider.token, accept)).toEqual([])
    }
    expect([await ownTitles(member), await ownTitles(owner)]).toEqual([['Diary'], ['Secret']])
    const answer = await get(token, LIST)
    expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['no-store', null])
    expect((await get(token, LIST, { headers: { 'if-none-match': '*' } })).status).toBe(200)
  })

  it('returns an item only to its owner, and counts with HEAD', async () => {
    const { token, of, plan, secret, diary } = await colleagues()
    for (const accept of FORMATS) {
      const found = await get(token, `${LIST}/${plan}`, { headers: { accept } })
      expect([found.status, titlesIn(await found.text())]).toEqual([200, ['Plan']])
    }
    for (const [bearer, id] of [
      [token, secret],
      [token, diary],
      [of.owner.token, plan],
      [of.outsider.token, plan],
    ] as const)
      expect(await statusAndCode(await get(bearer, `${LIST}/${id}`))).toEqual([404, 'not-found'])
    const head = await get(token, LIST, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-range'), await head.text()]).toEqual([200, 'items 0-0/1', ''])
  })

  it('runs platform functions as the token’s owner', async () => {
    const { orgId, owner, member, token, of } = await colleagues()
    const emails = async (bearer: string) =>
      (await (await get(bearer, '/team-members')).json()).member.map(({ email }: { email: string }) => email)
    expect(await emails(token)).toEqual(expect.arrayContaining([owner.email, member.email]))
    expect(await emails(of.outsider.token)).not.toContain(member.email)
    const [row] = await query(server, 'select count(*) as count from org_members where org_id = ?', [orgId])
    expect(await emails(of.owner.token)).toHaveLength(Number(row?.count))
  })

  it('returns 401 for an unknown, revoked or expired token, or a former member’s token, even with a cookie', async () => {
    const { owner, member, token, id, of, plan } = await colleagues()
    const refused = async (bearer: string) => {
      for (const path of [LIST, `${LIST}/${plan}`, '/team-members'])
        for (const method of ['GET', 'HEAD']) {
          const answer = await get(bearer, path, { method, headers: { cookie: member.browser.cookieHeader() } })
          expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
            401,
            'Bearer error="invalid_token", scope="mcp:read"',
          ])
          expect(answer.headers.get('cache-control')).toBe('no-store')
          if (method === 'GET') expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
        }
    }
    for (const unknown of ['fwp_', `fwp_${'a'.repeat(43)}`, `${token}x`, 'abc', '']) await refused(unknown)
    expect(await titles(token)).toEqual(['Plan'])
    await revoke(member.browser, id)
    await refused(token)
    await query(server, 'update oauth_grants set expires_at = 1 where id = ?', [of.owner.id])
    await refused(of.owner.token)

    await workIn(member, (await sessionOf(owner.browser)).orgId)
    const left = await made(member.browser)
    expect(await titles(left.token)).toEqual(['Plan'])
    await owner.browser.request(`/_fw/org/members/${encodeURIComponent(member.email)}`, { method: 'DELETE' })
    await refused(left.token)
  })

  it('returns 403 without mcp:read or when the organization requires another provider', async () => {
    const { orgId, member, token } = await colleagues()
    const { token: writing } = await made(member.browser, { scopes: ['mcp:write'] })
    for (const path of [LIST, `${LIST}/none`]) {
      const answer = await get(writing, path)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="mcp:read"')
      expect(await statusAndCode(answer)).toEqual([403, 'insufficient-scope'])
    }
    expect(await titles(token)).toEqual(['Plan'])
    await query(server, "update organizations set required_auth_provider = 'google' where id = ?", [orgId])
    for (const path of [LIST, `${LIST}/none`])
      expect(await statusAndCode(await get(token, path))).toEqual([403, 'provider-required'])
  })

  it('records the use of the token, and returns a challenge without one', async () => {
    const answer = await fetch(server.origin + LIST)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer scope="mcp:read"'])
    const ada = await world.person()
    const { token } = await made(ada.browser)
    expect((await get(token, LIST)).status).toBe(200)
    const used = async () => (await (await ada.browser.get(TOKENS)).json()).tokens[0].lastUsedAt
    await expect.poll(used).toEqual(expect.any(String))
    await expect.poll(() => eventsOf(ada.userId)).toContain('token-used')
  })
})

describe('fw action --at', () => {
  it('runs an action of another server with FW_TOKEN and converts values to their types', async () => {
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
