import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Action, defineAction, runAction } from '#fairway/server/domains/actions'
import { findCalledPerson } from '#fairway/server/domains/agents/peer-calls/authenticate-peer'
import { users } from '#fairway/server/schema'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { createTestApp, type TestApp } from '../support/app'
import { statusAndCode } from '../support/error-code'
import { createBrowser, raw } from '../support/http'
import { type PeerTokenChange, peerToken } from '../support/hub'
import { query } from '../support/query'
import { A2A_SECRET, JWT } from '../support/secrets'
import { databaseOf, borrowServer, startServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const CALLER = 'http://127.0.0.3:4600'

let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let caller: TestApp
beforeAll(async () => {
  server = await borrowServer({
    host: '127.0.0.2',
    env: { A2A_SECRET, FW_PEERS: JSON.stringify({ desk: CALLER }), FW_LOG_LEVEL: 'debug' },
  })
  world = createTeamWorld(server)
  caller = await createTestApp({
    FW_BASE_URL: CALLER,
    FW_APP_ID: 'desk',
    A2A_SECRET,
    FW_PEERS: JSON.stringify({ notes: server.origin }),
  })
})
afterAll(async () => {
  expect(server.log()).not.toMatch(JWT)
  expect(JSON.stringify(caller.lines())).not.toMatch(JWT)
  await caller.close()
  await server.stop()
})

type Ask = (peers: Parameters<Action['run']>[1]['peers']) => Promise<unknown>

/** Runs an action of the calling application as its user with this address. */
async function asCaller(email: string, ask: Ask): Promise<{ result?: unknown; error?: AppError }> {
  const { app } = caller
  await app.db.orm
    .insert(users)
    .values({ id: email, name: 'Person', email, emailVerified: true, createdAt: app.now(), updatedAt: app.now() })
    .onConflictDoNothing()
  const action = defineAction({
    description: 'Asks another application.',
    input: z.object({}),
    run: (_input, { peers }) => ask(peers),
  }) as unknown as Action
  const session = await findCalledPerson(app, { email })
  return runAction(app, { name: 'ask', action, input: {}, session, caller: 'http', requestId: 'asked' }).then(
    result => ({ result }),
    (error: AppError) => ({ error }),
  )
}

const noteSchema = z.object({ note: z.object({ id: z.string(), title: z.string() }) })

const createNote = (email: string, title: string) =>
  asCaller(email, peers => peers.call('notes', 'create-note', { title }, { output: noteSchema })).then(
    ({ result }) => noteSchema.parse(result).note,
  )

/** A person with a note that the other application asks to delete. */
async function aQuestion() {
  const person = await world.person()
  const note = await createNote(person.email, 'Old')
  const { error } = await asCaller(person.email, peers => peers.call('notes', 'delete-note', { id: note.id }))
  if (error?.code !== 'approval-required') throw new Error(`${error?.code} instead of a question`)
  const { url, approvalId } = z.object({ url: z.string(), approvalId: z.string() }).parse(error.extra)
  return { person, note, approvalId, path: `/approvals/${approvalId}`, url }
}

const notesOf = (email: string) =>
  query(server, 'select id from notes where owner_email = ?', [email]).then(rows => rows.map(({ id }) => id))

const answer = ({ browser }: TeamPerson, path: string, decision: string, headers: Record<string, string> = {}) =>
  browser.post(path, { form: { decision }, headers })

describe('Calls between two applications with one secret', () => {
  it('reads and writes as the person with the same address in both applications', async () => {
    const { email } = await world.person()
    const { id, title } = await createNote(email, 'From the desk')
    expect(title).toBe('From the desk')
    expect(await notesOf(email)).toEqual([id])
    const { result } = await asCaller(email, peers => peers.call('notes', 'list-notes'))
    expect(result).toMatchObject({ totalItems: 1, notes: [{ id }] })
    const [row] = await query(server, "select caller, via, user_email from audit_log where action = 'create-note'")
    expect(row).toMatchObject({ caller: 'a2a', via: CALLER, user_email: email })
  })

  it('passes on field errors and the error code of the called application, and creates no account', async () => {
    const { email } = await world.person()
    const { error } = await asCaller(email, peers => peers.call('notes', 'create-note', { title: '' }))
    expect(error).toMatchObject({ code: 'peer-refused', errors: [{ path: 'title' }] })
    expect(error?.extra).toEqual({ peer: 'notes', peerCode: 'invalid-input' })
    const nobody = await asCaller('nobody-there@example.test', peers => peers.call('notes', 'list-notes'))
    expect(nobody.error?.extra).toEqual({ peer: 'notes', peerCode: 'unknown-person' })
    expect(await query(server, "select * from users where email = 'nobody-there@example.test'")).toEqual([])
  })

  it('runs a destructive action only after the person has approved it', async () => {
    const { person, note, approvalId, path, url } = await aQuestion()
    expect(url).toBe(`${server.origin}/_fw/a2a/approvals/${approvalId}`)
    const collect = () => asCaller(person.email, peers => peers.result('notes', approvalId))
    expect((await collect()).error?.code).toBe('approval-required')
    const page = await person.browser.get(path)
    const html = await page.text()
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    for (const text of ['desk (127.0.0.3:4600)', 'delete-note', note.id, person.email]) expect(html).toContain(text)
    const approved = await answer(person, path, 'approve')
    expect([approved.status, approved.headers.get('location')]).toEqual([303, path])
    expect(await notesOf(person.email)).toEqual([])
    expect(await collect()).toEqual({ result: { id: note.id } })
    expect(await (await person.browser.get(path)).text()).toContain('Done')
  })
})

describe('/approvals/{id} page of an application', () => {
  it.each([
    ['by its mark', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['by its neighbour', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.2:1' }],
    ['without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('returns 403 for an approval from another site (%s)', async (_name, headers) => {
    const { person, note, path } = await aQuestion()
    const refused = await answer(person, path, 'approve', headers)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('content-type')).toContain('text/html')
    expect(await notesOf(person.email)).toEqual([note.id])
  })

  it('changes nothing when the person declines', async () => {
    const { person, note, path } = await aQuestion()
    expect((await answer(person, path, 'decline')).status).toBe(303)
    expect(await (await person.browser.get(path)).text()).toContain('You declined')
    expect(await notesOf(person.email)).toEqual([note.id])
  })

  it('accepts one of twenty concurrent approvals and runs the action once', async () => {
    const { person, path } = await aQuestion()
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(person, path, 'approve')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(19).fill(409)])
    const rows = await query(server, "select outcome from audit_log where action = 'delete-note' and user_id = ?", [
      person.userId,
    ])
    expect(rows).toMatchObject([{ outcome: 'ok' }])
  })

  it('cannot be shown in a frame', async () => {
    const { person, path } = await aQuestion()
    const { headers } = await person.browser.get(path)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
  })
})

const tokenFor = (subject: string, change: PeerTokenChange = {}, at = server) =>
  peerToken({ audience: at.origin, issuer: CALLER, subject }, change)

async function post(body: unknown, token: string | undefined, { at = server, headers = {} } = {}) {
  return fetch(`${at.origin}/_fw/a2a`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

describe('/_fw/a2a', () => {
  it('ignores cookies', async () => {
    const { browser } = await world.person()
    const { status, headers } = await browser.post('/_fw/a2a', { json: { action: 'list-notes' } })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('returns 401 for a session cookie sent as a token and for a token in the query string', async () => {
    const { browser, email } = await world.person()
    const [, cookie = ''] = browser.cookieHeader().split('=')
    expect((await post({ action: 'list-notes' }, cookie)).status).toBe(401)
    const token = await tokenFor(email)
    const inAddress = await fetch(`${server.origin}/_fw/a2a?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action":"list-notes"}',
    })
    expect(inAddress.status).toBe(401)
  })

  it('does not let its tokens authenticate at actions, the session or MCP', async () => {
    const { email } = await world.person()
    const headers = async () => ({ authorization: `Bearer ${await tokenFor(email)}` })
    const list = await fetch(`${server.origin}/_fw/actions/list-notes`, { headers: await headers() })
    expect(list.status).toBe(401)
    const session = await fetch(`${server.origin}/_fw/session`, { headers: await headers() })
    expect(await session.json()).toEqual({ session: null })
    const mcp = await fetch(`${server.origin}/mcp`, { method: 'POST', headers: await headers() })
    expect(mcp.status).toBe(401)
  })

  it('accepts only POST with JSON within the size limit and returns no-store', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, headers } = await fetch(`${server.origin}/_fw/a2a`, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    }
    const { email } = await world.person()
    const headers = { 'content-type': 'text/plain' }
    expect((await post('{}', await tokenFor(email), { headers })).status).toBe(415)
    const broken = await post('{"action"', await tokenFor(email))
    expect(await statusAndCode(broken)).toEqual([400, 'malformed-json'])
    expect(broken.headers.get('cache-control')).toBe('no-store')
    const large = { action: 'create-note', input: { title: 'x', text: 'x'.repeat(1_200_000) } }
    expect((await post(large, await tokenFor(email))).status).toBe(413)
  })

  it('accepts each token once across two processes', async () => {
    const { email } = await world.person()
    const second = await startServer({
      database: databaseOf(server),
      env: { A2A_SECRET, FW_BASE_URL: server.origin },
    })
    for (let round = 0; round < 5; round++) {
      const token = await tokenFor(email)
      const sent = [server, second, server, second].map(at => post({ action: 'list-notes' }, token, { at }))
      const statuses = (await Promise.all(sent)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
    }
    await second.stop()
  })
})

describe('/_fw/a2a without a secret', () => {
  it('returns 503 in production, runs nothing and writes nothing', async () => {
    const bare = await borrowServer({ env: { NODE_ENV: 'production' } })
    for (const token of [undefined, await tokenFor('somebody@example.test', {}, bare)]) {
      const refused = await post({ action: 'create-note', input: { title: 'x' } }, token, { at: bare })
      expect(await statusAndCode(refused)).toEqual([503, 'a2a-not-configured'])
    }
    for (const table of ['notes', 'audit_log', 'fw_one_time', 'a2a_approvals', 'security_events']) {
      expect(await query(bare, `select * from ${table}`)).toEqual([])
    }
    // The endpoint is public, so a refusal is not a failure and must not alert an operator.
    expect(bare.log()).not.toContain('request failed')
    await bare.stop()
  })

  it('accepts local programs in development, but no foreign host names and no forwarded requests', async () => {
    const bare = await borrowServer({ env: { NODE_ENV: 'development' } })
    const body = '{"action":"list-notes"}'
    expect((await post(body, undefined, { at: bare })).status).toBe(401)
    // The first visit to the sign-in page creates the development account.
    await createBrowser(bare.origin).get('/sign-in?return=/')
    const answered = await post(body, undefined, { at: bare })
    expect(await answered.json()).toMatchObject({ result: { notes: expect.any(Array) } })
    const send = (host: string, more = '') =>
      raw(
        bare.origin,
        `POST /_fw/a2a HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}Connection: close\r\n\r\n${body}`,
      )
    expect(await send(new URL(bare.origin).host)).toContain('HTTP/1.1 200')
    expect(await send('evil.test')).toContain('HTTP/1.1 421')
    expect(await send('localhost', 'X-Forwarded-For: 203.0.113.7\r\n')).toContain('HTTP/1.1 503')
    await bare.stop()
  })
})
