import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { sessionOf } from '../support/http'
import { listTools } from '../support/mcp'
import { approve, CLIENT_ID, instanceBeside, postForm, renewal } from '../support/oauth-grant'
import { startOAuthHost } from '../support/oauth-host'
import { query } from '../support/query'
import { startServer, type TestServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const ROUNDS = 6
const AT_ONCE = 50
const PROGRAM = { name: 'A program', version: '1' }
const folder = mkdtempSync(join(tmpdir(), 'fw-oauth-races-'))
let servers: TestServer[]
/** Two more servers that end a connection at every second use of a refresh token. */
let strict: TestServer[]
/** A third instance, in this process. */
let beside: App
let world: ReturnType<typeof createTeamWorld>

// Two processes that share one database file and one public address.
beforeAll(async () => {
  const one = await startServer({ env: { FW_DATA_DIR: folder } })
  const two = await startServer({ env: { FW_DATA_DIR: folder, FW_BASE_URL: one.origin } })
  const strictly = { FW_DATA_DIR: folder, FW_BASE_URL: one.origin, FW_REFRESH_REPLAY_WINDOW: '0' }
  servers = [one, two]
  strict = [await startServer({ env: strictly }), await startServer({ env: strictly })]
  const shared = { ...one, dataDir: folder }
  world = createTeamWorld(shared)
  beside = await instanceBeside(shared)
})
afterAll(async () => {
  await beside.db.close()
  await Promise.all([...servers, ...strict].map(server => server.stop()))
})

interface Tokens {
  access_token: string
  refresh_token: string
}

const at = (index: number, among = servers): string => `${among[index % among.length]?.origin}/mcp/oauth/token`

/** Sends the same request many times at once, to both servers in turn; returns the successful responses. */
async function atOnce(form: Record<string, string>, among = servers): Promise<Tokens[]> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => postForm(at(index, among), form)))
  const bodies = await Promise.all(answers.map(async answer => ({ status: answer.status, body: await answer.json() })))
  const refused = bodies.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(new Set(['400 invalid_grant']))
  return bodies.filter(({ status }) => status === 200).map(({ body }) => body)
}

/** A network that delays requests and responses by 0 to 40 ms and reorders them. Both servers respond. */
function jitteryFetch(): typeof fetch {
  const pause = () => sleep(Math.random() * 40)
  let sent = 0
  return async (input, init) => {
    const { pathname } = new URL(String(input))
    await pause()
    const answer = await fetch(`${servers[sent++ % 2]?.origin}${pathname}`, init)
    await pause()
    return answer
  }
}

async function expectDead(tokens: Tokens) {
  expect(await authenticateAccessToken(beside, tokens.access_token)).toBeNull()
  for (const index of [0, 1]) expect((await postForm(at(index), renewal(tokens.refresh_token))).status).toBe(400)
}

describe('OAuth server with two processes', () => {
  it('exchanges a code once and keeps its connection when its client sends 50 exchanges at once', async () => {
    const session = await sessionOf((await world.person()).browser)
    for (let round = 0; round < ROUNDS; round++) {
      const [tokens, ...others] = await atOnce(await approve(beside, session))
      expect(others).toEqual([])
      expect(await authenticateAccessToken(beside, tokens?.access_token ?? '')).not.toBeNull()
      expect((await postForm(at(round), renewal(tokens?.refresh_token))).status).toBe(200)
    }
  }, 90_000)

  it('returns one successor for 20 simultaneous renewals and keeps the connection', async () => {
    const session = await sessionOf((await world.person()).browser)
    for (let round = 0; round < ROUNDS; round++) {
      const first = await (await postForm(at(round), await approve(beside, session))).json()
      const sent = Array.from({ length: 20 }, (_, index) => postForm(at(index), renewal(first.refresh_token)))
      const answers = await Promise.all(sent)
      expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(200))
      const tokens: Tokens[] = await Promise.all(answers.map(answer => answer.json()))
      const [successor, ...others] = new Set(tokens.map(answer => answer.refresh_token))
      expect(others).toEqual([])
      for (const { access_token: accessToken } of tokens)
        expect(await authenticateAccessToken(beside, accessToken)).not.toBeNull()
      expect((await postForm(at(round + 1), renewal(successor))).status).toBe(200)
    }
  }, 90_000)

  it.each(['1.x', '2.x'] as const)(
    'keeps the connection of SDK %s when its renewals overlap',
    async generation => {
      const session = await sessionOf((await world.person()).browser)
      const host = await startOAuthHost('A program')
      const issuer = beside.config.baseUrl
      host.provider.saveClientInformation({ client_id: CLIENT_ID, issuer })
      host.setTokens({ ...(await (await postForm(at(0), await approve(beside, session))).json()), issuer })
      const client = generation === '1.x' ? new EarlierClient(PROGRAM) : new Client(PROGRAM)
      const Transport = generation === '1.x' ? EarlierTransport : StreamableHTTPClientTransport
      const options = { authProvider: host.provider, fetch: jitteryFetch() }
      await client.connect(new Transport(new URL(`${servers[0]?.origin}/mcp`), options))
      for (let round = 0; round < 12; round++) {
        host.setTokens({ ...host.tokens(), token_type: 'Bearer', access_token: 'ended' })
        // A library abandons a call that another call has overtaken. The connection must survive.
        await Promise.allSettled(Array.from({ length: 8 }, () => client.listTools()))
        expect((await client.listTools()).tools).not.toEqual([])
        // The library keeps this refresh token for the next hour, so it must not be a replaced one.
        const kept = [sha256(host.tokens()?.refresh_token ?? '')]
        const unused = 'select count(*) as unused from oauth_refresh_tokens where hash = ? and replaced_by is null'
        expect(await query(beside, unused, kept)).toEqual([{ unused: 1 }])
      }
      await client.close()
      await host.stop()
    },
    90_000,
  )

  it('replaces a refresh token once and revokes its family when the replay window is zero', async () => {
    const session = await sessionOf((await world.person()).browser)
    for (let round = 0; round < ROUNDS; round++) {
      const first = await (await postForm(at(round), await approve(beside, session))).json()
      const answers = await atOnce(renewal(first.refresh_token), strict)
      expect(answers).toHaveLength(1)
      for (const tokens of [first, ...answers]) await expectDead(tokens)
    }
  }, 90_000)

  it('uses one signing key, and both processes publish it', async () => {
    const lists = await Promise.all(servers.map(async ({ origin }) => (await fetch(`${origin}/mcp/oauth/jwks`)).json()))
    expect(lists[0].keys).toHaveLength(1)
    expect(lists[1]).toEqual(lists[0])
  })

  it('ends a connection in both processes as soon as one of them revokes it', async () => {
    const person = await world.person()
    const tokens = await connect(await sessionOf(person.browser))
    const { grants } = await (await person.browser.get('/_fw/grants')).json()
    expect((await person.browser.request(`/_fw/grants/${grants[0].id}`, { method: 'DELETE' })).status).toBe(204)
    await expectDead(tokens)
    await expectNoCalls(tokens)
  })

  it('ends the connections of a removed member in both processes', async () => {
    const owner = await world.person()
    const member = await world.join(owner, 'member')
    const { orgId } = await sessionOf(owner.browser)
    const tokens = await connect({ ...(await sessionOf(member.browser)), orgId })
    const removed = await owner.browser.request(`/_fw/org/members/${member.email}`, { method: 'DELETE' })
    expect(removed.ok).toBe(true)
    await expectDead(tokens)
    await expectNoCalls(tokens)
  })
})

const statusesOfCalls = ({ access_token }: Tokens) =>
  Promise.all(servers.map(async ({ origin }) => (await listTools(`${origin}/mcp`, access_token)).status))

/** Connects a host for this person; its token works at both processes. */
async function connect(person: Awaited<ReturnType<typeof sessionOf>>): Promise<Tokens> {
  const tokens = await (await postForm(at(1), await approve(beside, person))).json()
  expect(await statusesOfCalls(tokens)).toEqual([200, 200])
  return tokens
}

/** Waits up to 1.5 seconds until both processes refuse the token. */
const expectNoCalls = (tokens: Tokens) =>
  expect.poll(() => statusesOfCalls(tokens), { timeout: 1500, interval: 100 }).toEqual([401, 401])
