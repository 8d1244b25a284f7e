import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sqld, startSqld } from '../support/database-sqld'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { startServer, type TestServer } from '../support/server'

let database: Sqld
let plain: TestServer
let replica: TestServer
let at: ReturnType<typeof createClient>

beforeAll(async () => {
  database = await startSqld()
  at = createClient({ url: database.url })
  plain = await startServer({ database: database.url })
  const folder = await mkdtemp(join(tmpdir(), 'fw-replica-'))
  // With a sync interval of ten minutes, the replica receives no writes of others after its start.
  const env = {
    FW_DATABASE_REPLICA: join(folder, 'replica.db'),
    FW_DATABASE_REPLICA_SYNC: '600',
    FW_DATABASE_MEMORY: '0',
  }
  replica = await startServer({ database: database.url, env: { ...env, FW_BASE_URL: plain.origin } })
})
afterAll(async () => {
  at.close()
  await Promise.all([plain.stop(), replica.stop()])
  await database.stop()
})

async function somebody(email: string): Promise<TestBrowser> {
  const browser = createBrowser(plain.origin)
  await signUp(browser, { email, password: 'quiet harbour lantern 42', name: 'Ada' })
  return browser
}

/** The same browser at the instance with the replica. */
function atReplica(browser: TestBrowser) {
  const headers = () => ({ cookie: browser.cookieHeader(), origin: plain.origin, 'content-type': 'application/json' })
  return {
    get: (path: string) => fetch(replica.origin + path, { headers: headers() }),
    post: (path: string, json: unknown) =>
      fetch(replica.origin + path, { method: 'POST', headers: headers(), body: JSON.stringify(json) }),
  }
}

const titles = async (answer: Response) =>
  (await answer.json()).result.notes.map(({ title }: { title: string }) => title).toSorted()

it('an instance with a replica reads its own writes immediately', async () => {
  const there = atReplica(await somebody('own@example.test'))
  for (const title of ['one', 'three', 'two']) {
    expect((await there.post('/_fw/actions/create-note', { title })).status).toBe(200)
  }
  expect(await titles(await there.get('/_fw/actions/list-notes'))).toEqual(['one', 'three', 'two'])
})

it('an instance with a replica applies sessions and roles changed elsewhere on the next request', async () => {
  const browser = await somebody('ended@example.test')
  const there = atReplica(browser)
  const { session } = await (await there.get('/_fw/session')).json()
  expect(session).toMatchObject({ email: 'ended@example.test', orgRole: 'owner' })
  // Its own write updates the replica, which from then on holds a copy of the live session and membership.
  await there.post('/_fw/actions/create-note', { title: 'mine' })
  await at.execute({ sql: "update org_members set role = 'member' where user_id = ?", args: [session.userId] })
  expect((await (await there.get('/_fw/session')).json()).session).toMatchObject({ orgRole: 'member' })
  await at.execute({ sql: 'delete from org_members where user_id = ?', args: [session.userId] })
  expect((await (await there.get('/_fw/session')).json()).session?.orgId).not.toBe(session.orgId)
  await browser.request('/_fw/session', { method: 'DELETE' })
  expect(await sessionOf(browser)).toBeNull()
  expect(await (await there.get('/_fw/session')).json()).toEqual({ session: null })
  expect((await there.get('/_fw/actions/list-notes')).status).toBe(401)
})

it('an instance with a replica rejects an API token revoked elsewhere on the next call', async () => {
  const browser = await somebody('token@example.test')
  const made = await browser.post('/_fw/tokens', { json: { name: 'Laptop', scopes: ['mcp:read'], expiresInDays: 30 } })
  const { token, id } = await made.json()
  const there = atReplica(browser)
  await there.post('/_fw/actions/create-note', { title: 'mine' })
  const call = () =>
    fetch(`${replica.origin}/_fw/actions/list-notes`, { headers: { authorization: `Bearer ${token}` } })
  expect((await call()).status).toBe(200)
  expect((await browser.request(`/_fw/tokens/${id}`, { method: 'DELETE' })).ok).toBe(true)
  expect((await call()).status).toBe(401)
})
