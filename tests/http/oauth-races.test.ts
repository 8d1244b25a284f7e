import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { sessionOf } from '../support/http'
import { approve, instanceBeside, postForm, renewal } from '../support/oauth-grant'
import { startServer, type TestServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const ROUNDS = 6
const AT_ONCE = 50
const folder = mkdtempSync(join(tmpdir(), 'fw-oauth-races-'))
let servers: TestServer[]
/** Two more beside them, at which every second use of a refresh token ends its connection. */
let strict: TestServer[]
/** A third instance: this process. */
let beside: App
let world: ReturnType<typeof createTeamWorld>

// Two processes on one database file, with one public address between them.
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

/** The same request many times at once, at both servers in turn; gives the answers that were given. */
async function atOnce(form: Record<string, string>, among = servers): Promise<Tokens[]> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => postForm(at(index, among), form)))
  const bodies = await Promise.all(answers.map(async answer => ({ status: answer.status, body: await answer.json() })))
  const refused = bodies.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(new Set(['400 invalid_grant']))
  return bodies.filter(({ status }) => status === 200).map(({ body }) => body)
}

async function expectDead(tokens: Tokens) {
  expect(await authenticateAccessToken(beside, tokens.access_token)).toBeNull()
  for (const index of [0, 1]) expect((await postForm(at(index), renewal(tokens.refresh_token))).status).toBe(400)
}

describe('two processes', () => {
  it('exchange one code once at most, and leave nothing of it alive', async () => {
    const session = await sessionOf((await world.person()).browser)
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await atOnce(await approve(beside, session))
      expect(answers.length).toBeLessThanOrEqual(1)
      for (const tokens of answers) await expectDead(tokens)
    }
  }, 90_000)

  it('give twenty renewals at once twenty answers with one successor, and the connection goes on', async () => {
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

  it('replace one refresh token once, and leave nothing of the family alive', async () => {
    const session = await sessionOf((await world.person()).browser)
    for (let round = 0; round < ROUNDS; round++) {
      const first = await (await postForm(at(round), await approve(beside, session))).json()
      const answers = await atOnce(renewal(first.refresh_token), strict)
      expect(answers).toHaveLength(1)
      for (const tokens of [first, ...answers]) await expectDead(tokens)
    }
  }, 90_000)

  it('sign with one key, and both publish it', async () => {
    const lists = await Promise.all(servers.map(async ({ origin }) => (await fetch(`${origin}/mcp/oauth/jwks`)).json()))
    expect(lists[0].keys).toHaveLength(1)
    expect(lists[1]).toEqual(lists[0])
  })

  it('see at once what was ended at the other', async () => {
    const person = await world.person()
    const tokens = await (await postForm(at(1), await approve(beside, await sessionOf(person.browser)))).json()
    expect(await authenticateAccessToken(beside, tokens.access_token)).not.toBeNull()
    const { grants } = await (await person.browser.get('/_fw/grants')).json()
    expect((await person.browser.request(`/_fw/grants/${grants[0].id}`, { method: 'DELETE' })).status).toBe(204)
    await expectDead(tokens)
  })
})
