import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, defineAction, mcpContent } from '#fw'
import { declareTools, type McpDeclarations, runTaskJob } from '#fairway/server/domains/mcp'
import { answerTokenRequest, disconnectApp, listGrants, makePersonalToken } from '#fairway/server/domains/oauth-server'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { declareJobs, purgeJobs, startJobs } from '#fairway/server/kernel/jobs'
import type { Session } from '#fairway/shared/schemas/session'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { connectEarlierHost, connectHost, sendMessage } from '../../../support/mcp'
import { aMember } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { STATIC_TOKEN } from '../../../support/secrets'

const TASKS = 'io.modelcontextprotocol/tasks'
const HOUR = 60 * 60 * 1000
const ran: string[] = []
let gate = Promise.withResolvers<void>()
const input = z.object({ name: z.string() })

const long = { task: true, input }
const why = { why: { message: 'Why?', form: z.object({ why: z.string() }) } }

const tools = {
  build: defineAction({
    ...long,
    description: 'Builds a report.',
    async run({ name }, { host, signal, session }) {
      await host?.progress(3, 10)
      await Promise.race([gate.promise, once(signal, 'abort')])
      ran.push(`${name}${signal.aborted ? ' stopped' : ''}`)
      signal.throwIfAborted()
      return { built: name, by: session.email }
    },
  }),
  count: defineAction({ ...long, description: 'Counts.', readOnly: true, run: () => [1, 2] }),
  blocks: defineAction({ ...long, description: 'Shows.', run: () => mcpContent([{ type: 'text', text: 'Hello' }]) }),
  refuses: defineAction({ ...long, description: 'Refuses.', run: () => Promise.reject(new AppError('conflict')) }),
  large: defineAction({ ...long, description: 'Is large.', run: () => 'x'.repeat(5 * 1024 * 1024) }),
  asks: defineAction({ ...long, description: 'Asks.', run: (_input, { host }) => host?.ask(why) ?? {} }),
  guarded: defineAction({ ...long, description: 'Is closed.', guard: () => false, run: () => ({}) }),
  drop: defineAction({ ...long, description: 'Deletes.', destructive: true, run: () => ({ dropped: true }) }),
  short: defineAction({ description: 'Is short.', input, run: ({ name }) => ({ name }) }),
}
const declared: McpDeclarations = {
  actions: Object.entries(tools).map(([name, action]) => ({ name, group: 'test', action: action as never })),
  resources: [],
  prompts: [],
  apps: [],
}

const entries = [{ name: 'fw-run-task', job: runTaskJob as never }]
const start = (app: App) => {
  declareJobs(app, entries)
  declareTools(app, async () => declared)
  return startJobs(app, entries, { graceInMs: 50 })
}

let application: McpApplication
let stop: () => Promise<void>
let ada: Session
let token: string
let count = 0
beforeAll(async () => {
  application = await startMcpApplication({ declared })
  stop = start(application.app)
})
afterAll(async () => {
  await stop()
  await application.close()
})
beforeEach(async () => {
  ran.length = 0
  gate = Promise.withResolvers()
  ada = await aMember(application.app, { email: `tasks${++count}@example.test`, name: 'Ada' })
  token = await aToken()
})

const aToken = async (person = ada, options: Parameters<typeof approve>[2] = {}): Promise<string> =>
  (await answerTokenRequest(application.app, { form: await approve(application.app, person, options) })).access_token

async function anApiToken(): Promise<string> {
  const wanted = { name: 'CI', scopes: ['mcp:read' as const, 'mcp:write' as const], expiresInDays: 30 as const }
  return (await makePersonalToken(application.app, { ...ada, id: null }, wanted)).token
}

interface Sent {
  by?: string
  capabilities?: Record<string, unknown>
  meta?: Record<string, unknown>
  headers?: Record<string, string>
}
const following = { extensions: { [TASKS]: {} } }

const answerTo = (method: string, params: Record<string, unknown>, sent: Sent = {}): Promise<Response> => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': sent.capabilities ?? following,
    ...sent.meta,
  }
  return sendMessage(
    application.origin,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
      authorization: `Bearer ${sent.by ?? token}`,
      ...sent.headers,
    },
  )
}
const call = async (name: string, sent?: Sent, values: object = { name: 'q3' }) =>
  (await answerTo('tools/call', { name, arguments: values }, sent)).json()
const ask = async (method: string, taskId: string, sent?: Sent) => (await answerTo(method, { taskId }, sent)).json()

async function started(name = 'build', sent?: Sent): Promise<string> {
  const { result } = await call(name, sent)
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  return result.taskId
}
/** The task once this holds. */
async function when(id: string, holds: (task: Record<string, unknown>) => boolean, sent?: Sent) {
  for (;;) {
    const { result, error } = await ask('tasks/get', id, sent)
    if (error) throw new Error(error.message)
    if (holds(result)) return result
    await sleep(20)
  }
}
const ended = (id: string, sent?: Sent) => when(id, ({ status }) => status !== 'working', sent)
const unknown = { code: -32_602, message: 'There is no task with this ID.' }

describe('a tool call of a host that follows tasks', () => {
  it('returns a task, then its progress and its result', async () => {
    const { result: created } = await call('build')
    expect(Object.keys(created).toSorted()).toEqual(
      ['_meta', 'createdAt', 'lastUpdatedAt', 'pollIntervalMs', 'resultType', 'status', 'taskId', 'ttlMs'].toSorted(),
    )
    expect(created).toMatchObject({ resultType: 'task', status: 'working' })
    expect(created.ttlMs).toBeGreaterThanOrEqual(HOUR)
    const working = await when(created.taskId, ({ statusMessage }) => statusMessage !== undefined)
    expect(working).toMatchObject({ resultType: 'complete', status: 'working', statusMessage: '3 of 10' })
    gate.resolve()
    const done = await ended(created.taskId)
    const data = { built: 'q3', by: ada.email }
    expect(done).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      createdAt: created.createdAt,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: JSON.stringify(data) }],
        structuredContent: data,
      },
    })
    expect(ran).toEqual(['q3'])
  })

  it('leaves the audit row of the action, with the host', async () => {
    gate.resolve()
    await ended(await started())
    const rows = await query(application.app, `select action, caller, via, outcome from audit_log where user_id = ?`, [
      ada.userId,
    ])
    expect(rows.filter(({ action }) => action === 'build')).toMatchObject([
      { action: 'build', caller: 'mcp', outcome: 'ok', via: 'https://host.example.com/client.json' },
    ])
  })

  it.each([
    ['count', { structuredContent: [1, 2] }],
    ['blocks', { content: [{ type: 'text', text: 'Hello' }] }],
    ['refuses', { isError: true, _meta: { 'fairway/error': { code: 'conflict' } } }],
    ['asks', { isError: true, _meta: { 'fairway/error': { code: 'host-cannot-ask' } } }],
  ])('completes with what %s returns, also when that is an error', async (name, result) => {
    expect(await ended(await started(name))).toMatchObject({ status: 'completed', result })
  })

  it('fails when the result is too large', async () => {
    const error = { code: -32_603, message: 'The call is done. Its result is too large for a task.' }
    expect(await ended(await started('large'))).toMatchObject({ status: 'failed', statusMessage: error.message, error })
  })

  it.each([
    ['the guard refuses', 'guarded', {}, { name: 'q3' }, 'forbidden'],
    ['the input is wrong', 'build', {}, { name: 3 }, 'invalid-input'],
    ['a person must approve it', 'drop', {}, { name: 'q3' }, 'approval-waiting'],
  ] as const)('returns the error at once when %s', async (_title, name, sent, values, code) => {
    const { result } = await call(name, sent, values)
    expect(result).toMatchObject({ resultType: 'complete', isError: true, _meta: { 'fairway/error': { code } } })
    expect(await query(application.app, `select id from fw_jobs where user_id = ?`, [ada.userId])).toEqual([])
  })

  it('asks in the host before it deletes, and rehearses, as ever', async () => {
    const asked = await call('drop', { capabilities: { ...following, elicitation: {} } })
    expect(asked.result).toMatchObject({ resultType: 'input_required' })
    const rehearsed = await call('count', { meta: { 'fairway/rehearse': true } })
    expect(rehearsed.result).not.toHaveProperty('taskId')
  })

  it('is a task with an API token too, and none with a static token', async () => {
    const by = await anApiToken()
    gate.resolve()
    expect(await ended(await started('build', { by }), { by })).toMatchObject({ status: 'completed' })
    expect((await call('count', { by: STATIC_TOKEN })).result).toMatchObject({ resultType: 'complete' })
  })
})

describe('a host that does not follow tasks', () => {
  const plain = { name: 'short', arguments: { name: 'q3' } }

  it('gets the same bytes from a tool with and without tasks', async () => {
    const short = await (await answerTo('tools/call', plain, { capabilities: {} })).text()
    expect(await (await answerTo('tools/call', plain)).text()).toBe(short)
    const direct = await (await answerTo('tools/call', { ...plain, name: 'count' }, { capabilities: {} })).json()
    expect(direct.result).toEqual({
      content: [{ type: 'text', text: '[1,2]' }],
      structuredContent: [1, 2],
      resultType: 'complete',
      _meta: expect.anything(),
    })
    const { _meta: _server, ...bare } = direct.result
    expect((await ended(await started('count'))).result).toEqual(bare)
  })

  it('gets -32021 from the methods of tasks, and -32601 in earlier revisions', async () => {
    const id = await started()
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answer = await answerTo(method, { taskId: id }, { capabilities: {} })
      expect(answer.status).toBe(400)
      expect((await answer.json()).error).toMatchObject({ code: -32_021, data: { requiredCapabilities: following } })
      const earlier = { jsonrpc: '2.0', id: 1, method, params: { taskId: id } }
      const said = await sendMessage(application.origin, earlier, { authorization: `Bearer ${token}` })
      expect((await said.json()).error).toEqual({ code: -32_601, message: 'Method not found' })
    }
    gate.resolve()
  })

  it('learns of the extension only where the application has such tools', async () => {
    const bare = await startMcpApplication()
    for (const connect of [connectHost, connectEarlierHost]) {
      expect((await connect(application.origin)).getServerCapabilities()?.extensions).toEqual({ [TASKS]: {} })
      expect((await connect(bare.origin)).getServerCapabilities()).not.toHaveProperty('extensions')
    }
    await bare.close()
  })
})

describe('tasks of one grant', () => {
  it('wait when four run, and are refused beyond twenty', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => started()))
    expect((await call('build')).result).toMatchObject({
      isError: true,
      _meta: { 'fairway/error': { code: 'rate-limited' } },
    })
    await when(ids[0] ?? '', ({ statusMessage }) => statusMessage !== undefined)
    const counts = await query(
      application.app,
      `select count(*) as number from fw_jobs where user_id = ? and state = 'running'`,
      [ada.userId],
    )
    expect(counts).toEqual([{ number: 4 }])
    gate.resolve()
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed' })
  })
})

describe('tasks/get, tasks/update, tasks/cancel', () => {
  const others: [string, () => Promise<string>][] = [
    ['another grant of the person', () => aToken(ada, { clientId: 'https://other.example.com/client.json' })],
    ['another person', async () => aToken(await aMember(application.app, { email: `other${count}@example.test` }))],
    ['the static token', async () => STATIC_TOKEN],
  ]
  it.each(others)('know no task of %s', async (_title, another) => {
    const id = await started()
    const by = await another()
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await ask(method, id, { by })).error).toEqual(unknown)
      expect((await ask(method, 'none', { by })).error).toEqual(unknown)
    }
    gate.resolve()
    expect(await ended(id)).toMatchObject({ status: 'completed' })
  })

  it('refuse a header that names another task, and a message without an ID', async () => {
    const mismatch = await ask('tasks/get', 'one', { headers: { 'mcp-name': 'two' } })
    expect(mismatch.error.code).toBe(-32_020)
    expect((await (await answerTo('tasks/get', {}, { headers: { 'mcp-name': 'x' } })).json()).error.code).toBe(-32_602)
  })

  it('tasks/update is acknowledged and changes nothing', async () => {
    const id = await started()
    const answer = await answerTo('tasks/update', { taskId: id, inputResponses: { why: { action: 'accept' } } })
    expect((await answer.json()).result).toEqual({ resultType: 'complete', _meta: expect.anything() })
    gate.resolve()
    expect(await ended(id)).toMatchObject({ status: 'completed' })
  })

  it('tasks/cancel aborts the signal of the action', async () => {
    const id = await started()
    await when(id, ({ statusMessage }) => statusMessage !== undefined)
    expect((await ask('tasks/cancel', id)).result).toEqual({ resultType: 'complete', _meta: expect.anything() })
    const task = await ended(id)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).not.toHaveProperty('result')
    expect(ran).toEqual(['q3 stopped'])
  })

  it('keep the outcome for an hour', async () => {
    const { app } = application
    gate.resolve()
    const id = await started()
    await ended(id)
    await query(app, 'update fw_jobs set finished_at = finished_at - ? where id = ?', [HOUR, id])
    expect((await ask('tasks/get', id)).error).toEqual(unknown)
    await purgeJobs(app)
    expect(await query(app, 'select id from fw_jobs where id = ?', [id])).toEqual([])
  })
})

describe('a task in the queue', () => {
  it('fails without running when its grant has ended', async () => {
    await stop()
    const id = await started()
    for (const { id: grant } of await listGrants(application.app, ada)) await disconnectApp(application.app, ada, grant)
    const [row] = await startAgain(id)
    expect(JSON.parse(String(row?.result))).toEqual({ error: { code: -32_603, message: 'The connection has ended.' } })
    expect(ran).toEqual([])
  })

  /** Starts the jobs in a process that has no memory of the call; returns the row of the job when it is over. */
  async function startAgain(id: string) {
    const another: App = { ...application.app, memo: createMemo() }
    stop = start(another)
    for (;;) {
      const rows = await query(application.app, 'select * from fw_jobs where id = ? and finished_at is not null', [id])
      if (rows.length > 0) return rows
      await sleep(20)
    }
  }

  it('survives a restart while it waits', async () => {
    await stop()
    const id = await started()
    gate.resolve()
    await startAgain(id)
    expect(await ended(id)).toMatchObject({ status: 'completed', result: { structuredContent: { built: 'q3' } } })
  })

  it('is not repeated when a restart interrupts it', async () => {
    const id = await started()
    await when(id, ({ statusMessage }) => statusMessage !== undefined)
    await stop()
    await startAgain(id)
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: -32_603 } })
    expect(ran).toEqual(['q3 stopped'])
  })
})
