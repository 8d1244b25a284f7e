import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { fw as runFw, fwBeside } from '../support/fw'
import { sessionOf } from '../support/http'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer({
  env: { FW_OPERATORS: 'op@example.test', FW_METRICS_TOKEN: 'a-token-for-metrics-that-is-long-enough' },
})
let operator: TeamPerson
let ada: TeamPerson
let orgId: string
let person: ReturnType<typeof createTeamWorld>['person']
beforeAll(async () => {
  ;({ person } = createTeamWorld(server))
  operator = await person({ email: 'op@example.test' })
  ada = await person({ email: 'ada@example.test', name: 'Ada' })
  orgId = String((await sessionOf(ada.browser)).orgId)
})

const get = async (who: TeamPerson, path: string) => {
  const answer = await who.browser.get(`/_fw/operator/${path}`)
  return { status: answer.status, body: answer.ok ? ((await answer.json()) as Record<string, never>) : undefined }
}

it.each(['people', 'organizations', 'jobs', 'mails', 'deliveries', 'health', 'settings'])(
  'shows %s only to operators',
  async path => {
    expect((await get(operator, path)).status).toBe(200)
    expect((await get(ada, path)).status).toBe(404)
  },
)

it('lists people with their organizations and second factor, and how many match', async () => {
  const found = async () => (await get(operator, 'people?search=ada@')).body
  expect(await found()).toMatchObject({
    totalItems: 1,
    people: [{ email: 'ada@example.test', organizations: ["Ada's organization"], hasSecondFactor: false }],
  })
  await query(
    server,
    `insert into two_factor (user_id, secret, active_at, last_step, created_at) select id, '', 1, 0, 1 from users where email = ?`,
    ['ada@example.test'],
  )
  expect(await found()).toMatchObject({ people: [{ hasSecondFactor: true }] })
  await query(server, 'delete from two_factor')
})

it.each([
  ['people', 'lastSignInAt'],
  ['organizations', 'members'],
  ['jobs', 'runAt'],
  ['mails', 'failedAt'],
])('sorts %s by one of their fields, and names the fields for any other', async (path, field) => {
  for (const sort of [field, '-name']) {
    // The position after a row, so that the plan of further pages is checked too.
    const cursor = Buffer.from(JSON.stringify([sort, sort === field ? 0 : '~', '~'])).toString('base64url')
    for (const page of ['', `&cursor=${cursor}`])
      expect((await get(operator, `${path}?sort=${sort}${page}`)).status).toBe(200)
  }
  const refused = await operator.browser.get(`/_fw/operator/${path}?sort=none`)
  expect(refused.status).toBe(400)
  expect((await refused.json()).errors).toMatchObject([
    { path: 'sort', message: expect.stringMatching(new RegExp(`name.*\\b${field}\\b`)) },
  ])
})

it('finds an organization by id and shows its members', async () => {
  const { body } = await get(operator, `organizations?search=${orgId}`)
  expect(body?.totalItems).toBe(1)
  expect(body?.organizations).toMatchObject([{ id: orgId, members: 1, plan: null, purgeAt: null }])
  expect((await get(operator, `organizations/${orgId}`)).body).toMatchObject({
    organization: { id: orgId },
    members: [{ email: 'ada@example.test', role: 'owner' }],
    plan: null,
    plans: [],
  })
  expect((await get(operator, 'organizations/nowhere')).status).toBe(404)
})

it('deletes an organization on behalf of its owners after a dry run, and restores it', async () => {
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

it('shows settings with their values but without secrets', async () => {
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

it('shows the time of the newest backup after fw backup has written one', async () => {
  expect((await get(operator, 'health')).body).toMatchObject({ backupAt: null })
  const before = Date.now()
  const file = join(server.dataDir, 'backups', 'newest.db')
  expect((await fwBeside(server, ['backup', file])).err).toBe('')
  const { backupAt } = (await get(operator, 'health')).body as unknown as { backupAt: string }
  expect(Date.parse(backupAt)).toBeGreaterThanOrEqual(before)
  const rows = await query(server, `select caller, user_id, input from audit_log where action = 'write-backup'`)
  expect(rows).toEqual([{ caller: 'cli', user_id: null, input: '{"file":"newest.db"}' }])
})

it('resends a delivery of any organization and writes an audit row for that organization', async () => {
  const secret = { url: 'https://hooks.example.test/in', types: ['audit.create-note'] }
  const made = await ada.browser.post('/_fw/webhooks', { json: secret })
  const { id } = (await made.json()) as { id: string }
  const { orgId: inOrg } = await sessionOf(ada.browser)
  await query(
    server,
    `insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, queued_at)
      values ('delivery-1', ?, 'event-1', 'audit', 'audit.create-note', 1, 'failed', 9, 1)`,
    [id],
  )
  const resend = (who: TeamPerson, delivery: string) =>
    who.browser.post(`/_fw/operator/deliveries/${delivery}/resend`, {})
  expect((await resend(ada, 'delivery-1')).status).toBe(404)
  expect((await resend(operator, 'none')).status).toBe(404)
  expect((await resend(operator, 'delivery-1')).status).toBe(204)
  const [row] = await query(
    server,
    `select tries, queued_at > 1 as again from fw_webhook_deliveries where id = 'delivery-1'`,
  )
  expect(row).toMatchObject({ again: 1 })
  await query(server, `update fw_webhooks set state = 'off' where id = ?`, [id])
  expect(await statusAndCode(await resend(operator, 'delivery-1'))).toEqual([409, 'webhook-off'])
  const rows = await query(
    server,
    `select user_email, org_id, outcome, error_code from audit_log where action = 'resend-delivery' order by rowid`,
  )
  const by = { user_email: 'op@example.test', outcome: 'failed', org_id: null }
  expect(rows).toEqual([
    { ...by, error_code: 'not-found' },
    { ...by, outcome: 'ok', org_id: inOrg, error_code: null },
    { ...by, error_code: 'webhook-off' },
  ])
})

it('retries a failed job with an audit row and returns 404 for a finished job', async () => {
  await query(
    server,
    `insert into fw_jobs (id, name, input, state, attempts, most_attempts, run_at, created_at, finished_at, error, org_id)
      values ('job-1', 'fw-send-mail', '{"mailId":"none"}', 'failed', 9, 9, 0, 0, ?, 'boom', 'removed')`,
    [Date.now()],
  )
  expect((await get(operator, 'jobs?state=failed')).body?.jobs).toMatchObject([
    { id: 'job-1', error: 'boom', organization: { id: 'removed', name: null } },
  ])
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

it('runs fw commands as a named operator and rejects everyone else', async () => {
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
  expect(back.out).toBe('The account was reactivated.\n')
  const rows = await query(
    server,
    `select action, user_email from audit_log where caller = 'cli' and user_id is not null order by id`,
  )
  expect(rows).toEqual([
    { action: 'suspend-person', user_email: 'op@example.test' },
    { action: 'reactivate-person', user_email: 'op@example.test' },
  ])
})

/** Creates a token of this person for `fw` from another machine. */
async function tokenOf(who: TeamPerson, scopes: string[]): Promise<{ status: number; token: string; id: string }> {
  const answer = await who.browser.post('/_fw/tokens', { json: { name: 'fw', scopes, expiresInDays: 7 } })
  return { status: answer.status, ...(await answer.json()) }
}

describe('fw --at', () => {
  const elsewhere = (token: string, ...args: string[]) => runFw([...args, '--at', server.origin], { FW_TOKEN: token })

  const audited = (actions: string) =>
    query(
      server,
      `select action, user_email, outcome from audit_log where via = 'personal-token' and action glob ? order by rowid`,
      [actions],
    )
  const by = { user_email: 'op@example.test', outcome: 'ok' }

  it('acts on people as the token’s operator and names the operator in the audit log', async () => {
    const grace = await person({ email: 'grace@example.test', name: 'Grace' })
    const { token } = await tokenOf(operator, ['operator'])
    const suspend = ['people', 'suspend', 'grace@example.test', '--reason', 'Abuse', '--until', '2031-05-20']
    const done = await elsewhere(token, ...suspend)
    expect([done.code, done.out]).toEqual([0, 'Suspended. Every session has ended.\n'])
    expect((await grace.browser.get('/_fw/org')).status).toBe(401)
    const listed = await elsewhere(token, 'people', 'list', '--search', 'grace')
    expect(listed.out).toContain('grace@example.test  Grace  suspended: Abuse')
    expect((await elsewhere(token, 'people', 'reactivate', 'GRACE@example.test')).code).toBe(0)
    expect((await elsewhere(token, 'people', 'sign-out', 'no@example.test')).err).toContain('There is no account')
    expect(await audited('*-person')).toEqual([
      { action: 'suspend-person', ...by },
      { action: 'reactivate-person', ...by },
    ])
  }, 120_000)

  it('acts on organizations and jobs', async () => {
    const { token } = await tokenOf(operator, ['operator'])
    expect((await elsewhere(token, 'org', 'plan', orgId)).err).toContain('declares no plans')
    const queued = await elsewhere(token, 'jobs', 'run', 'fw-send-mail', '{"mailId":"none"}')
    const [, id = ''] = /^Queued: (\S+)\. /.exec(queued.out) ?? []
    expect((await elsewhere(token, 'jobs', 'list', '--name', 'fw-send-mail')).out).toContain(id)
    expect((await elsewhere(token, 'jobs', 'run', 'none')).err).toContain('There is no job none.')
    expect((await elsewhere(token, 'jobs', 'cancel', 'none')).code).toBe(1)
    expect(await audited('*-job')).toEqual([
      { action: 'run-job', ...by },
      { action: 'run-job', ...by, outcome: 'failed' },
      { action: 'stop-job', ...by, outcome: 'failed' },
    ])
  }, 120_000)

  it('requires a token, and rejects one without the operator scope or with --operator', async () => {
    const { token } = await tokenOf(operator, ['mcp:read', 'mcp:write'])
    expect((await elsewhere('', 'people', 'list')).err).toContain('There is no token.')
    expect((await elsewhere(token, 'people', 'list')).err).toContain('(insufficient-scope)')
    expect((await elsewhere(token, 'jobs', 'list', '--operator', 'op@example.test')).err).toContain('FW_TOKEN')
  })
})

describe('operator scope', () => {
  const ask = (token: string, path: string, method = 'GET') =>
    fetch(`${server.origin}/_fw/operator/${path}`, { method, headers: { authorization: `Bearer ${token}` } })

  it('is available only for tokens of operators', async () => {
    const mary = await person({ email: 'mary@example.test' })
    expect(await tokenOf(mary, ['operator'])).toMatchObject({ status: 403, code: 'forbidden' })
    const { id } = await tokenOf(operator, ['operator'])
    const { tokens } = await (await operator.browser.get('/_fw/tokens')).json()
    expect(tokens.find((each: { id: string }) => each.id === id).scopes).toMatchObject([{ scope: 'operator' }])
  })

  it('does not open operations that require a recent sign-in, other operations or actions', async () => {
    const { token } = await tokenOf(operator, ['operator'])
    const none = `people/${ada.userId}`
    for (const [path, method] of [
      [none, 'GET'],
      [`${none}/second-factor`, 'DELETE'],
      [`organizations/${orgId}`, 'DELETE'],
      ['settings', 'GET'],
    ] as const)
      expect([path, (await ask(token, path, method)).status]).toEqual([path, 401])
    const headers = { authorization: `Bearer ${token}` }
    const notes = await fetch(`${server.origin}/_fw/actions/list-notes`, { method: 'POST', headers, body: '{}' })
    expect(await statusAndCode(notes)).toEqual([403, 'insufficient-scope'])
  })

  it('stops working once the operator is removed, unconfirmed, suspended or must set up a second factor', async () => {
    const { token } = await tokenOf(operator, ['operator'])
    expect((await ask(token, 'people')).status).toBe(200)
    const { userId } = operator
    const set = (values: string) => query(server, `update users set ${values} where id = ?`, [userId])
    await set(`email = 'former@example.test'`)
    expect(await statusAndCode(await ask(token, 'people'))).toEqual([404, 'not-found'])
    await set(`email = 'op@example.test', email_verified = 0`)
    expect((await ask(token, 'people')).status).not.toBe(200)
    await set('email_verified = 1, suspended_at = 1')
    expect(await statusAndCode(await ask(token, 'people'))).toEqual([403, 'account-suspended'])
    await set('suspended_at = null')
    const policy = (since: number | null) => query(server, 'update organizations set second_factor_since = ?', [since])
    await policy(1)
    expect(await statusAndCode(await ask(token, 'people'))).toEqual([403, 'second-factor-setup-required'])
    await policy(null)
    await query(server, 'update organizations set agents_read_only = 1')
    expect(await statusAndCode(await ask(token, 'people'))).toEqual([403, 'agents-read-only'])
    await query(server, 'update organizations set agents_read_only = 0')
    expect((await ask(token, 'people')).status).toBe(200)
  })
})
