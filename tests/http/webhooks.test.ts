import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@libsql/client'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fwBeside } from '../support/fw'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { countRows, query } from '../support/query'
import { borrowServer, freePort, type OwnServer, startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'
import { type Receiver, startReceiver } from '../support/webhook-receiver'

const OPERATOR = 'operator@example.test'
/** The people of these tests. They are operators, so their webhooks can use a receiver on this machine. */
const OPERATORS = [OPERATOR, 'ada@example.test', ...Array.from({ length: 40 }, (_, n) => `person${n + 1}@example.test`)]
const WAIT = { timeout: 30_000, interval: 50 }

/** A fixed port lets tests share servers with the same settings. If it is taken, the receiver uses a random one. */
const PORT = 4599
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver(PORT).catch(() => startReceiver())
})
afterAll(() => receiver.stop())

const add = async (browser: TestBrowser, path: string, more: object = {}) =>
  browser.post('/_fw/webhooks', { json: { url: receiver.origin + path, types: ['audit.create-note'], ...more } })

async function added(browser: TestBrowser, path: string, more?: object): Promise<{ id: string; secret: string }> {
  const answer = await add(browser, path, more)
  expect(answer.status, await answer.clone().text()).toBe(201)
  return answer.json()
}

describe('webhooks over HTTP', () => {
  let server: TestServer
  let world: ReturnType<typeof createTeamWorld>

  beforeAll(async () => {
    server = await borrowServer({ env: { FW_OPERATORS: OPERATORS.join(), FW_WEBHOOK_ORIGINS: receiver.origin } })
    world = createTeamWorld(server)
  })
  afterAll(() => server.stop())

  it('send signed events to a receiver within seconds of a write', async () => {
    const { owner } = await world.team()
    const { id, secret } = await added(owner.browser, '/told')
    await owner.browser.post('/_fw/actions/create-note', { json: { title: 'First' } })
    await expect.poll(() => receiver.at('/told').length, WAIT).toBe(1)
    const [request] = receiver.at('/told')
    expect(new Verifier(secret).verify(request!.body, request!.headers)).toMatchObject({ type: 'audit.create-note' })
    const page = async () => (await owner.browser.get(`/_fw/webhooks/${id}/deliveries?state=sent`)).json()
    await expect.poll(async () => (await page()).totalItems, WAIT).toBe(1)
    expect((await page()).deliveries).toMatchObject([
      { state: 'sent', status: 200, answer: 'taken', tries: 1, messageId: request!.headers['webhook-id'] },
    ])
    const [delivery] = (await page()).deliveries
    const shown = await owner.browser.get(`/_fw/webhooks/${id}/deliveries/${delivery.id}`)
    expect(await shown.json()).toEqual({ delivery, payload: JSON.parse(request!.body) })
    const { lastTryAt } = delivery
    const { webhooks } = await (await owner.browser.get('/_fw/webhooks')).json()
    expect(webhooks).toMatchObject([{ id, lastTryAt }])
    const test = await owner.browser.post(`/_fw/webhooks/${id}/test`)
    expect(test.status).toBe(202)
    await expect.poll(() => receiver.typesAt('/told'), WAIT).toContain('webhook.test')
    const plan = { since: new Date(Date.now() - 60_000).toISOString(), include: 'all' }
    const rows = await countRows(server, 'audit_log')
    const counted = await owner.browser.post(`/_fw/webhooks/${id}/replay?dryRun=true`, { json: plan })
    expect(await counted.json()).toEqual({ events: 1, isDryRun: true })
    expect(await countRows(server, 'audit_log')).toBe(rows)
    const sent = await owner.browser.post(`/_fw/webhooks/${id}/replay`, { json: plan })
    expect(await sent.json()).toEqual({ events: 1, isDryRun: false })
    await expect.poll(() => receiver.at('/told').length, WAIT).toBe(3)
  })

  it('can be listed and replayed from the command line, which shows only hosts', async () => {
    const { owner } = await world.team()
    const { id } = await added(owner.browser, '/command/token-in-a-path')
    await owner.browser.post('/_fw/actions/create-note', { json: { title: 'First' } })
    await expect.poll(() => receiver.at('/command/token-in-a-path').length, WAIT).toBe(1)
    const listed = await fwBeside(server, ['webhooks', 'list'])
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining(`${id}  organization  on`) })
    expect(listed.both).not.toContain('token-in-a-path')
    const since = new Date(Date.now() - 60_000).toISOString()
    const replay = ['webhooks', 'replay', id, '--since', since, '--all']
    expect((await fwBeside(server, [...replay, '--dry-run'])).out).toBe('1 events would be sent again\n')
    expect((await fwBeside(server, replay)).out).toBe('1 events are queued\n')
    await expect.poll(() => receiver.at('/command/token-in-a-path').length, WAIT).toBe(2)
    const old = await fwBeside(server, ['webhooks', 'replay', id, '--since', '2001-01-01T00:00:00Z'])
    expect(old).toMatchObject({
      code: 1,
      both: expect.stringMatching(/\n {2}since: must be within the last thirty days/),
    })
    const deliveries = await fwBeside(server, ['webhooks', 'deliveries', id, '--state', 'sent'])
    expect(deliveries.out).toMatch(/sent {2}try 1 {2}200 {2}audit\.create-note/)
    expect((await fwBeside(server, ['webhooks', 'deliveries', 'none'])).code).toBe(1)
  })

  it('have an optional name of at most 80 characters, which the audit log shows', async () => {
    const { owner } = await world.team()
    const { id } = await added(owner.browser, '/named', { name: '  Billing\n' })
    const nameNow = async () => (await (await owner.browser.get('/_fw/webhooks')).json()).webhooks[0].name
    const change = (name: unknown) => owner.browser.request(`/_fw/webhooks/${id}`, { method: 'PATCH', json: { name } })
    expect(await nameNow()).toBe('Billing')
    expect((await change('Invoices')).status).toBe(204)
    expect(await nameNow()).toBe('Invoices')
    expect((await change('')).status).toBe(204)
    expect(await nameNow()).toBeNull()
    expect((await (await change('n'.repeat(81))).json()).errors).toMatchObject([{ path: 'name' }])
    expect((await change(undefined)).status).toBe(400)
    const rows = await query(
      server,
      `select input ->> '$.name' as name from audit_log where user_id = ? and action glob '*-webhook' and outcome = 'ok' order by rowid`,
      [owner.userId],
    )
    expect(rows.map(({ name }) => name)).toEqual(['Billing', 'Invoices', null])
  })

  it('can be managed only by owners and admins, and return 404 to outsiders', async () => {
    const { owner, admin, member, outsider } = await world.team()
    const { id } = await added(owner.browser, '/kept', { types: ['audit.delete-note'] })
    const statuses = async ({ browser }: Pick<TeamPerson, 'browser'>) => {
      const send = async (method: string, path: string, json?: unknown) =>
        (await browser.request(`/_fw/webhooks/${id}${path}`, { method, json })).status
      const since = new Date().toISOString()
      return [
        await send('PATCH', '', { types: ['audit.delete-note'] }),
        await send('POST', '/secret', {}),
        await send('POST', '/test'),
        await send('GET', '/deliveries'),
        await send('GET', '/deliveries/none'),
        await send('POST', '/deliveries/none'),
        await send('POST', '/replay', { since }),
        await send('POST', '/replay?dryRun=true', { since }),
      ]
    }
    expect(await statuses(owner)).toEqual([204, 200, 202, 200, 404, 404, 200, 200])
    expect(await statuses(admin)).toEqual([204, 200, 202, 200, 404, 404, 200, 200])
    expect(new Set(await statuses(member))).toEqual(new Set([403]))
    expect(new Set(await statuses(outsider))).toEqual(new Set([404]))
    expect((await outsider.browser.request(`/_fw/webhooks/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await member.browser.get('/_fw/webhooks')).status).toBe(403)
    expect((await add(member.browser, '/mine')).status).toBe(403)
    expect((await (await outsider.browser.get('/_fw/webhooks')).json()).webhooks).toEqual([])
    expect((await admin.browser.request(`/_fw/webhooks/${id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('of the installation are managed by operators and receive only security events', async () => {
    const operator = await world.person({ email: OPERATOR })
    const owner = await world.person({ email: 'owner@harbour-works.test' })
    const installation = { scope: 'installation', types: ['security.*'] }
    const { id } = await added(operator.browser, '/all', installation)
    expect((await add(owner.browser, '/no', installation)).status).toBe(404)
    // An address inside the network is refused too: only operators can use one.
    expect((await add(owner.browser, '/no')).status).toBe(400)
    expect((await owner.browser.get(`/_fw/webhooks/${id}/deliveries`)).status).toBe(404)
    expect((await owner.browser.get('/_fw/webhooks?scope=installation')).status).toBe(404)
    expect((await add(operator.browser, '/no', { scope: 'installation' })).status).toBe(400)
    const list = await (await operator.browser.get('/_fw/webhooks?scope=installation')).json()
    expect(list.types).toContain('security.sign-in-failed')
    expect(list.types).not.toContain('audit.create-note')
    const wrong = { email: owner.email, password: 'not the password' }
    await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: wrong })
    await expect.poll(() => receiver.typesAt('/all'), WAIT).toContain('security.sign-in-failed')
  })

  it('show a secret once, require a recent sign-in, and write no secrets or addresses to logs', async () => {
    const { owner } = await world.team()
    const { id, secret } = await added(owner.browser, '/services/T0/token-in-a-path', { types: ['audit.delete-note'] })
    expect(await (await owner.browser.get('/_fw/webhooks')).text()).not.toContain(secret)
    const rows = await query(server, 'select action, input from audit_log where user_id = ? order by id', [
      owner.userId,
    ])
    expect(rows.at(-1)).toMatchObject({ action: 'create-webhook' })
    expect(JSON.stringify(rows)).not.toMatch(/token-in-a-path|whsec_/)
    expect(server.log()).not.toMatch(/token-in-a-path|whsec_/)
    await query(server, 'update sessions set created_at = created_at - 1000000 where user_id = ?', [owner.userId])
    const refusals = await Promise.all([
      add(owner.browser, '/late'),
      owner.browser.post(`/_fw/webhooks/${id}/secret`, { json: {} }),
      owner.browser.request(`/_fw/webhooks/${id}`, { method: 'PATCH', json: { url: `${receiver.origin}/elsewhere` } }),
    ])
    for (const refusal of refusals) expect((await refusal.json()).code).toBe('fresh-session-required')
    const off = await owner.browser.request(`/_fw/webhooks/${id}`, { method: 'PATCH', json: { state: 'off' } })
    expect(off.status).toBe(204)
    expect((await (await owner.browser.post(`/_fw/webhooks/${id}/test`)).json()).code).toBe('webhook-off')
  })
})

const newDatabase = () => `file:${join(mkdtempSync(join(tmpdir(), 'fw-webhooks-')), 'fairway.db')}`

/** A person on a server with a separate database, with a webhook for every note. */
async function subscriber({ origin }: TestServer, database: string, path: string): Promise<TestBrowser> {
  const browser = createBrowser(origin)
  await signUp(browser, { email: 'ada@example.test', password: PASSWORD, name: 'Ada' })
  await query({ dataDir: dirname(database.replace('file:', '')) }, 'update users set email_verified = 1')
  expect((await sessionOf(browser)).orgRole).toBe('owner')
  await added(browser, path)
  return browser
}

/** Writes notes until the server is gone; adds the ids of the acknowledged notes to the set. */
async function writeUntilGone(browser: TestBrowser, acknowledged: Set<string>): Promise<void> {
  for (;;) {
    const answer = await browser.post('/_fw/actions/create-note', { json: { title: 'Told' } }).catch(() => undefined)
    if (!answer?.ok) return
    const read = await answer.json().catch(() => undefined)
    if (read) acknowledged.add(read.result.note.id)
  }
}

const subjectsAt = (path: string) => receiver.at(path).map(({ event }) => String(event.data.subjectId))

describe('webhook delivery', () => {
  it('loses no event when the server is killed repeatedly while it writes and delivers', async () => {
    const database = newDatabase()
    const port = String(await freePort())
    const env = { PORT: port, FW_OPERATORS: OPERATORS.join(), FW_WEBHOOK_ORIGINS: receiver.origin }
    let server: OwnServer = await startServer({ database, env })
    const browser = await subscriber(server, database, '/killed')
    const acknowledged = new Set<string>()
    for (let round = 0; round < 5; round++) {
      const before = acknowledged.size
      const writing = Promise.all(Array.from({ length: 4 }, () => writeUntilGone(browser, acknowledged)))
      await expect.poll(() => acknowledged.size, WAIT).toBeGreaterThan(before + 10)
      await server.kill()
      await writing
      server = await startServer({ database, env })
    }
    expect(acknowledged.size).toBeGreaterThan(50)
    // The server repeats an interrupted delivery after a minute; this skips that wait.
    const file = createClient({ url: database, timeout: 5000 })
    const hurry = () => file.execute(`update fw_webhook_deliveries set next_try_at = 0 where state = 'pending'`)
    const missing = () => [...acknowledged].filter(id => !subjectsAt('/killed').includes(id))
    // Another process takes over a killed server's work when its lease ends, after 30 seconds.
    const patience = { timeout: 60_000, interval: 1000 }
    await expect.poll(async () => (await hurry()) && missing(), patience).toEqual([])
    file.close()
    // Delivery is at least once: a repeated delivery keeps its id.
    const byId = Map.groupBy(receiver.at('/killed'), ({ headers }) => headers['webhook-id'])
    expect(byId.size).toBe(new Set(subjectsAt('/killed')).size)
    await server.stop()
  }, 180_000)
})
