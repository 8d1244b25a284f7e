import { afterAll, beforeAll, expect, it } from 'vitest'
import { fw as runFw } from '../support/fw'
import { sessionOf } from '../support/http'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

let server: TestServer
let operator: TeamPerson
let ada: TeamPerson
let orgId: string
beforeAll(async () => {
  server = await borrowServer({
    env: { FW_OPERATORS: 'op@example.test', FW_METRICS_TOKEN: 'a-token-for-metrics-that-is-long-enough' },
  })
  const { person } = createTeamWorld(server)
  operator = await person({ email: 'op@example.test' })
  ada = await person({ email: 'ada@example.test', name: 'Ada' })
  orgId = String((await sessionOf(ada.browser)).orgId)
})
afterAll(() => server.stop())

const get = async (who: TeamPerson, path: string) => {
  const answer = await who.browser.get(`/_fw/operator/${path}`)
  return { status: answer.status, body: answer.ok ? ((await answer.json()) as Record<string, never>) : undefined }
}

it.each(['people', 'organizations', 'jobs', 'mails', 'deliveries', 'health', 'settings'])(
  'shows %s to operators, and to nobody else',
  async path => {
    expect((await get(operator, path)).status).toBe(200)
    expect((await get(ada, path)).status).toBe(404)
  },
)

it('finds organizations by name and id, with their members', async () => {
  const { body } = await get(operator, `organizations?search=${orgId}`)
  expect(body?.organizations).toMatchObject([{ id: orgId, members: 1, plan: null, purgeAt: null }])
  expect((await get(operator, `organizations/${orgId}`)).body).toMatchObject({
    organization: { id: orgId },
    members: [{ email: 'ada@example.test', role: 'owner' }],
    plan: null,
    plans: [],
  })
  expect((await get(operator, 'organizations/nowhere')).status).toBe(404)
})

it('deletes an organization for its owners, after a dry run, and restores it', async () => {
  const [named] = await query(server, 'select name from organizations where id = ?', [orgId])
  const name = named?.name
  const path = `/_fw/operator/organizations/${orgId}`
  const remove = (query_: string, typed: unknown) =>
    operator.browser.request(`${path}${query_}`, { method: 'DELETE', json: { name: typed } })
  expect((await remove('', 'Another name')).status).toBe(400)
  const dry = await remove('?dryRun=true', name)
  expect(await dry.json()).toMatchObject({ members: 1 })
  expect((await remove('', name)).status).toBe(200)
  expect((await sessionOf(ada.browser)).orgId).not.toBe(orgId)
  expect((await get(operator, `organizations/${orgId}`)).body).toMatchObject({
    organization: { purgeAt: expect.any(String) as string },
    members: [{ email: 'ada@example.test' }],
  })
  expect((await operator.browser.post(`${path}/restore`, {})).status).toBe(200)
  expect((await operator.browser.post(`${path}/restore`, {})).status).toBe(404)
  expect(await query(server, 'select role from org_members where org_id = ?', [orgId])).toEqual([{ role: 'owner' }])
})

it('shows settings as they are, and no secret', async () => {
  const { body } = await get(operator, 'settings')
  const settings = new Map((body?.settings as { name: string }[] | undefined)?.map(each => [each.name, each]))
  expect(settings.get('FW_OPERATORS')).toMatchObject({ value: 'op@example.test', isSet: true, isSecret: false })
  expect(settings.get('BETTER_AUTH_SECRET')).toMatchObject({ value: null, isSet: true, isSecret: true })
  expect(settings.get('FW_METRICS_TOKEN')).toMatchObject({ value: null, isSet: true })
  expect(JSON.stringify(body)).not.toContain(server.secret)
})

it('shows the health of the installation', async () => {
  expect((await get(operator, 'health')).body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    database: { fault: null },
    jobs: { failed: 0 },
    people: 2,
  })
})

it('retries a job that has failed, and cancels one that waits; each leaves an audit row', async () => {
  await query(
    server,
    `insert into fw_jobs (id, name, input, state, attempts, most_attempts, run_at, created_at, error)
      values ('job-1', 'fw-send-mail', '{"mailId":"none"}', 'failed', 9, 9, 0, 0, 'boom')`,
  )
  expect((await get(operator, 'jobs?state=failed')).body?.jobs).toMatchObject([{ id: 'job-1', error: 'boom' }])
  expect((await operator.browser.post('/_fw/operator/jobs/job-1/retry', {})).status).toBe(204)
  await expect
    .poll(async () => query(server, `select state from fw_jobs where id = 'job-1'`), { timeout: 20_000 })
    .toEqual([{ state: 'done' }])
  expect((await operator.browser.post('/_fw/operator/jobs/job-1/retry', {})).status).toBe(404)
  expect((await operator.browser.request('/_fw/operator/jobs/job-1', { method: 'DELETE' })).status).toBe(404)
  const rows = await query(server, `select user_email, outcome from audit_log where action = 'retry-job' order by id`)
  expect(rows).toEqual([
    { user_email: 'op@example.test', outcome: 'ok' },
    { user_email: 'op@example.test', outcome: 'failed' },
  ])
})

it('acts on a server as an operator who is named, and refuses everybody else', async () => {
  const env = {
    FW_DATA_DIR: server.dataDir,
    NODE_ENV: 'production',
    FW_BASE_URL: 'https://app.example.test',
    BETTER_AUTH_SECRET: server.secret,
    FW_OPERATORS: 'op@example.test,gone@example.test',
  }
  const suspend = (...more: string[]) =>
    runFw(['people', 'suspend', 'ada@example.test', '--reason', 'An unpaid bill', ...more], env)
  const unnamed = await suspend()
  expect([unnamed.code, unnamed.err]).toEqual([1, expect.stringContaining('--operator <address>')])
  expect((await suspend('--operator', 'ada@example.test')).err).toContain('is not in FW_OPERATORS')
  expect((await suspend('--operator', 'gone@example.test')).err).toContain('has no account here')
  const done = await suspend('--operator', 'op@example.test')
  expect([done.code, done.out]).toEqual([0, 'Suspended. Every session has ended.\n'])
  expect((await ada.browser.get('/_fw/org')).status).toBe(401)
  expect((await runFw(['people', 'list', '--search', 'ada'], env)).out).toContain('suspended: An unpaid bill')
  const back = await runFw(['people', 'reactivate', 'ada@example.test', '--operator', 'op@example.test'], env)
  expect(back.out).toBe('The suspension has ended.\n')
  const rows = await query(server, `select action, user_email from audit_log where caller = 'cli' order by id`)
  expect(rows).toEqual([
    { action: 'suspend-person', user_email: 'op@example.test' },
    { action: 'reactivate-person', user_email: 'op@example.test' },
  ])
})
