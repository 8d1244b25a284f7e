import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fw } from '../support/fw'
import { createBrowser, type TestBrowser } from '../support/http'
import { SECRET } from '../support/secrets'
import { type OwnServer, startServer } from '../support/server'
import { PASSWORD } from '../support/team'

let folder: string
let database: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'former-'))
  database = `file:${join(folder, 'fairway.db')}`
  const client = createClient({ url: database })
  const former = await readFile(join(import.meta.dirname, '../fixtures/former-layout/database.sql'), 'utf8')
  await client.migrate(former.split('--> statement-breakpoint\n').filter(Boolean))
  client.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const verifyAudit = () =>
  fw(['audit', 'verify'], { NODE_ENV: 'test', DATABASE_URL: database, BETTER_AUTH_SECRET: SECRET })

it('the command line wants a database of before to be brought up to date first, and changes nothing', async () => {
  const { code, both } = await verifyAudit()
  expect([code, both]).toEqual([1, expect.stringMatching(/^The database is not up to date \(\d+ migrations\)/)])
})

describe('a server on a database of before', () => {
  let server: OwnServer
  let owner: TestBrowser
  beforeAll(async () => {
    server = await startServer({ database })
    owner = createBrowser(server.origin)
    const json = { email: 'person1@example.test', password: PASSWORD }
    const answer = await owner.post('/_fw/auth/sign-in/email', { json })
    if (!answer.ok) throw new Error(await answer.text())
  })
  afterAll(() => server.stop())

  it('has the notes, the team and the sealed credentials of its people', async () => {
    const { result } = await (await owner.get('/_fw/actions/list-notes')).json()
    expect(result.notes.map(({ title }: { title: string }) => title).toSorted()).toEqual(['Note 1', 'Note 2', 'Note 3'])
    expect((await (await owner.get('/_fw/org/members')).json()).members).toHaveLength(3)
    expect(await (await owner.get('/_fw/org/vault')).json()).toMatchObject({
      credentials: [{ key: 'openai', state: 'readable' }],
    })
  })

  it('goes on with the chain of its audit log', async () => {
    expect((await owner.post('/_fw/actions/create-note', { json: { title: 'Written afterwards' } })).status).toBe(200)
    await expect.poll(async () => (await verifyAudit()).both).toMatch(/: 17 rows, holds/)
    expect((await verifyAudit()).code).toBe(0)
  })
})
