import { createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSqld, type Sqld } from '../support/database-sqld'
import { createBrowser, signUp } from '../support/http'
import { startServer, type TestServer } from '../support/server'

let database: Sqld
let servers: TestServer[] = []

beforeAll(async () => {
  database = await startSqld()
  // Two instances start at once on an empty database. Both must start, and the migrations run once.
  const env = { FW_LOCAL_DATA_OWNER: 'owner@example.test' }
  servers = await Promise.all([
    startServer({ database: database.url, env }),
    startServer({ database: database.url, env }),
  ])
})
afterAll(async () => {
  await Promise.all(servers.map(server => server.stop()))
  await database.stop()
})

describe('libSQL server', () => {
  it('stores an account, its session and its notes, and two instances see the same', async () => {
    const [first, second] = servers
    if (!first || !second) throw new Error('two servers were wanted')
    const browser = createBrowser(first.origin)
    await signUp(browser, { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' })
    const created = await browser.post('/_fw/actions/create-note', { json: { title: 'Far away' } })
    expect(created.status).toBe(200)
    const cookie = browser.cookieHeader()
    const seen = await fetch(`${second.origin}/_fw/actions/list-notes`, { headers: { cookie } })
    expect((await seen.json()).result.notes).toMatchObject([{ title: 'Far away' }])
    // Organizations use conditional transactions, which must work there too.
    const { session } = await (await browser.get('/_fw/session')).json()
    expect(session).toMatchObject({ orgName: "Ada's organization", orgRole: 'owner' })
    const made = await browser.post('/_fw/org', { json: { name: 'Second', confirm: true } })
    expect(made.status).toBe(201)
    const { name } = await made.json()
    expect((await browser.request('/_fw/org', { method: 'DELETE', json: { name } })).status).toBe(200)
    const overview = await (await fetch(`${second.origin}/_fw/org`, { headers: { cookie } })).json()
    expect(overview).toMatchObject({ activeOrgId: session.orgId, orgs: [{ id: session.orgId }] })
    await browser.request('/_fw/session', { method: 'DELETE' })
    const after = async (at: string) => (await fetch(`${at}/_fw/session`, { headers: { cookie } })).json()
    expect(await after(first.origin)).toEqual({ session: null })
    // The other instance learns of it within a second.
    await expect.poll(() => after(second.origin), { timeout: 3000 }).toEqual({ session: null })
  })

  it('creates one account for twenty concurrent sign-ups with one address at two instances', async () => {
    const json = { email: 'race@example.test', password: 'quiet harbour lantern 42', name: 'Race' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        createBrowser(servers[index % 2]?.origin ?? '').post('/_fw/auth/sign-up/email', { json }),
      ),
    )
    expect(answers.map(answer => answer.status).toSorted()).toEqual([200, ...Array(19).fill(409)])
  })

  it('moves local data once, regardless of the instance', async () => {
    const [first, second] = servers
    if (!first || !second) throw new Error('two servers were wanted')
    const owner = createBrowser(first.origin)
    await signUp(owner, { email: 'owner@example.test', password: 'quiet harbour lantern 42', name: 'Owner' })
    const client = createClient({ url: database.url })
    await client.batch([
      `insert into notes (id, owner_email, title, created_at, updated_at) values ('old', 'local@localhost', 'Old', 0, 0)`,
      `update users set email_verified = 1 where email = 'owner@example.test'`,
    ])
    client.close()
    const headers = { cookie: owner.cookieHeader(), 'sec-fetch-site': 'same-origin' }
    const answers = await Promise.all(
      [first, second, first, second, first].map(({ origin }) =>
        fetch(`${origin}/_fw/local-migration`, { method: 'POST', headers }),
      ),
    )
    const moves = await Promise.all(answers.map(answer => answer.json()))
    expect(moves.map(({ moved }) => moved.notes).toSorted()).toEqual([0, 0, 0, 0, 1])
  })

  it('is ready while the database responds', async () => {
    const answer = await fetch(`${servers[0]?.origin}/_fw/health/ready`)
    expect([answer.status, (await answer.json()).checks.migrations]).toEqual([200, 'ok'])
  })
})
