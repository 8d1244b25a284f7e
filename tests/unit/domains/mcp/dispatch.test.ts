// Sends every message to the dispatcher and, with the same access, to the protocol's library. Their answers must be equal.
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { AppError, defineAction, defineMcpApp, mcpContent } from '#fw'
import { definePlatformAction } from '#fairway/server/domains/actions'
import { EARLIER_REVISIONS, readPlainMessage } from '#fairway/server/domains/mcp/plain-message'
import { answerTokenRequest } from '#fairway/server/domains/oauth-server'
import type { Session } from '#fairway/shared/schemas/session'
import type { Scope } from '#fairway/shared/scopes'
import { BY_LIBRARY, declarations, type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { plainRequest } from '../../../support/http'
import { sendMessage } from '../../../support/mcp'
import { addTo, aMember } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { countRows, query } from '../../../support/query'
import { STATIC_TOKEN } from '../../../support/secrets'

const none = z.object({})
const reads = { readOnly: true, input: none } as const
const actions = {
  'read-row': defineAction({
    ...reads,
    description: 'Data.',
    output: z.object({ a: z.string() }),
    run: () => ({ a: 'ü"\n' }),
  }),
  'read-rows': defineAction({ ...reads, description: 'A list.', output: z.array(z.number()), run: () => [1, 2] }),
  'read-either': defineAction({
    ...reads,
    description: 'One of two.',
    output: z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]),
    run: () => ({ a: 1 }),
  }),
  'read-nothing': defineAction({ ...reads, description: 'Nothing.', run: () => undefined }),
  'read-date': defineAction({ ...reads, description: 'A date.', run: () => ({ at: new Date(0), no: undefined }) }),
  'read-large': defineAction({ ...reads, description: 'No JSON.', run: () => ({ large: 1n }) }),
  'read-function': defineAction({ ...reads, description: 'No JSON either.', run: () => () => 1 }),
  'echo-row': defineAction({
    readOnly: true,
    description: 'What it was given.',
    input: z.looseObject({ text: z.string().min(2).optional() }),
    maxBodyBytes: 2000,
    run: given => given,
  }),
  'fail-row': defineAction({
    ...reads,
    description: 'Fails.',
    run: () => {
      throw new Error('never shown')
    },
  }),
  'refuse-row': defineAction({
    ...reads,
    description: 'Refuses.',
    run: () => {
      throw new AppError('conflict', { detail: 'The other one was first.' })
    },
  }),
  'guarded-row': defineAction({ ...reads, description: 'Guarded.', guard: () => false, run: () => ({}) }),
  'write-row': defineAction({ description: 'Writes.', input: none, run: () => ({ written: true }) }),
  'small-row': defineAction({ description: 'Takes little.', maxBodyBytes: 64, input: none, run: () => ({}) }),
  'drop-row': defineAction({ description: 'Loses.', destructive: true, input: none, run: () => ({ dropped: true }) }),
  'tell-and-ask': defineAction({
    ...reads,
    description: 'Tells, then asks.',
    async run(_input, { host }) {
      await host?.progress(1, 2, 'half')
      await host?.log('warning', 'one\n\ndata: line')
      host?.ask({ name: { message: 'Who?', form: z.object({ name: z.string() }) } })
    },
  }),
  'wait-row': defineAction({
    readOnly: true,
    description: 'Answers when the test lets it.',
    input: z.object({ fails: z.boolean().optional() }),
    async run({ fails }) {
      await waiting.promise
      if (fails) throw new AppError('conflict')
      return { waited: true }
    },
  }),
  'wait-blocks': defineAction({
    ...reads,
    description: 'Answers with a block when the test lets it.',
    run: async () => {
      await waiting.promise
      return mcpContent([{ type: 'text', text: 'waited' }])
    },
  }),
  'own-row': definePlatformAction({
    ...reads,
    description: 'Is shown to owners.',
    isOffered: () => true,
    admits: () => ({ roles: ['owner'] }),
    run: () => ({}),
  }),
}

/** The actions `wait-row` and `wait-blocks` wait for this promise. */
let waiting = Promise.withResolvers<void>()
waiting.resolve()

let application: McpApplication
let ada: Session
let bob: Session
beforeAll(async () => {
  const own = Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action }))
  const html = '<!doctype html><html lang="en"><body>Row</body></html>'
  application = await startMcpApplication({
    declared: {
      ...declarations,
      actions: [...declarations.actions, ...own],
      apps: [{ name: 'row', declaration: defineMcpApp({ title: 'Row', tools: ['read-row'], html }) }],
    },
  })
  ada = await aMember(application.app, { name: 'Ada' })
  bob = await aMember(application.app, { name: 'Bob' })
  await addTo(application.app, ada, bob, 'member')
})
afterAll(() => application.close())

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const HOST = 'io.modelcontextprotocol/clientInfo'
const LEVEL = 'io.modelcontextprotocol/logLevel'

interface Sent {
  headers: Record<string, string>
  body: string
}

/** A message of a revision up to 2025-11-25. */
const earlier = (message: object, headers: Record<string, string> = {}): Sent => ({
  headers: { 'mcp-protocol-version': '2025-11-25', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
})

/** A request of revision 2026-07-28, with headers that repeat its fields. */
function current(
  method: string,
  params: Record<string, unknown> = {},
  { meta = {}, headers = {} }: { meta?: object; headers?: Record<string, string> } = {},
): Sent {
  const _meta = { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, [HOST]: { name: 'host', version: '1' }, ...meta }
  const named: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  return {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  }
}

const COMPARED = [
  'content-type',
  'cache-control',
  'x-accel-buffering',
  'www-authenticate',
  'retry-after',
  'allow',
  'vary',
]

async function answerOf(path: string, { headers, body }: Sent, token = STATIC_TOKEN) {
  const answer = await fetch(application.origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
      authorization: `Bearer ${token}`,
    },
    body,
  })
  const text = await answer.text()
  const isStream = answer.headers.get('content-type') === 'text/event-stream'
  const parts = isStream ? text.split('\n\n').map(event => event.replace('event: message\ndata: ', '')) : [text]
  return {
    status: answer.status,
    headers: COMPARED.map(name => `${name}: ${answer.headers.get(name)}`),
    // The signed state contains the time, so the comparison ignores it.
    messages: parts.filter(Boolean).map(part => unsigned(JSON.parse(part))),
  }
}

const unsigned = (message: { result?: { requestState?: unknown } }): unknown =>
  message.result?.requestState ? { ...message, result: { ...message.result, requestState: 'signed' } } : message

async function expectTheSame(sent: Sent, token?: string): Promise<Awaited<ReturnType<typeof answerOf>>> {
  const [dispatched, byLibrary] = [await answerOf('/mcp', sent, token), await answerOf(BY_LIBRARY, sent, token)]
  expect(dispatched, JSON.stringify(sent).slice(0, 1000)).toEqual(byLibrary)
  return dispatched
}

const sentSchema = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }))
const recordedAt = new URL('../../../fixtures/mcp/recorded-traffic.json', import.meta.url)
const recorded = sentSchema.parse(JSON.parse(readFileSync(recordedAt, 'utf8')))

/** Returns whether the dispatcher handles a message itself. */
const isPlain = ({ headers, body }: Sent): boolean =>
  readPlainMessage(JSON.parse(body), { accept: 'application/json, text/event-stream', ...headers }) !== null

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
const params = { name: 'echo-row', arguments: { text: 'ab' } }
const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } }

const plain: Sent[] = [
  ...LISTS.flatMap(method => [earlier({ method }), earlier({ method, params: { _meta: {} } }), current(method)]),
  ...Object.keys(actions).flatMap(name => [
    earlier({ method: 'tools/call', params: { name } }),
    current('tools/call', { name }),
  ]),
  ...EARLIER_REVISIONS.map(protocolVersion =>
    earlier({ method: 'initialize', params: { ...initialize, protocolVersion } }),
  ),
  earlier({
    method: 'initialize',
    params: { ...initialize, capabilities: { elicitation: {}, roots: { listChanged: true } } },
  }),
  earlier({ method: 'ping' }),
  earlier({ method: 'ping', id: 'x'.repeat(256), params: {} }),
  earlier({ method: 'ping', id: '' }),
  earlier({ method: 'ping', id: Number.MAX_SAFE_INTEGER }),
  earlier({ method: 'ping', id: '"\u2028\ud800' }),
  earlier({ method: 'notifications/initialized', id: undefined }),
  earlier({ method: 'notifications/cancelled', id: undefined, params: { requestId: 1 } }),
  earlier({ method: 'notifications/of-its-own', id: undefined }),
  current('server/discover'),
  current('tools/call', params, { meta: { [CAPABILITIES]: { elicitation: { form: {} }, sampling: {}, roots: {} } } }),
  current('tools/call', params, { meta: { [HOST]: undefined, progressToken: 'p', other: [1] } }),
  earlier({ method: 'tools/call', params: { ...params, _meta: { progressToken: 7, 'claudecode/toolUseId': 'x' } } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: { text: 'x' } } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: { text: 'x'.repeat(3000) } } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: { deep: [{ a: null }], '': 1 } } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: { text: null } } }),
  current('tools/call', { name: 'echo-row', arguments: { text: null, own: null } }),
  earlier({ method: 'tools/call', params: { name: 'tell-and-ask', _meta: { progressToken: 0 } } }),
  current('tools/call', { name: 'tell-and-ask' }, { meta: { progressToken: 't', [LEVEL]: 'info' } }),
  current('tools/call', { name: 'tell-and-ask' }, { meta: { [LEVEL]: 'error', [CAPABILITIES]: { elicitation: {} } } }),
  current(
    'tools/call',
    { name: 'tell-and-ask' },
    { meta: { progressToken: 't', [LEVEL]: 'debug', [CAPABILITIES]: { elicitation: {} } } },
  ),
  current('tools/call', { name: 'drop-row' }, { meta: { [CAPABILITIES]: { elicitation: { url: {} } } } }),
]

const strange: Sent[] = [
  earlier({ method: 'unknown/method' }),
  earlier({ method: 'logging/setLevel', params: { level: 'info' } }),
  earlier({ method: 'ping', more: true }),
  earlier({ method: 'ping', params: [] }),
  earlier({ method: 'ping', params: { _meta: 'x' } }),
  earlier({ method: 'ping', params: { more: 1 } }),
  earlier({ method: 'ping', jsonrpc: '1.0' }),
  earlier({ method: 7 }),
  earlier({ result: {} }),
  earlier({ error: { code: 1, message: 'x' } }),
  earlier({ method: 'ping' }, { accept: 'application/json' }),
  earlier({ method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' }),
  earlier({ method: 'ping' }, { 'mcp-protocol-version': '2026-07-28' }),
  earlier({ method: 'initialize', params: initialize }, { 'mcp-protocol-version': '1999-01-01' }),
  earlier({ method: 'initialize', params: { ...initialize, protocolVersion: '2099-01-01' } }),
  earlier({ method: 'initialize', params: { ...initialize, capabilities: { tasks: {} } } }),
  earlier({ method: 'initialize', params: { ...initialize, capabilities: { roots: 'yes' } } }),
  earlier({ method: 'initialize' }),
  earlier({ method: 'tools/list', params: { cursor: 'x' } }),
  earlier({ method: 'tools/list', params: { cursor: null } }),
  earlier({ method: 'tools/list', params: null }),
  earlier({ method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
  earlier({ method: 'resources/read', params: {} }),
  earlier(
    { method: 'initialize', params: { ...initialize, protocolVersion: '2099-01-01' } },
    { 'mcp-protocol-version': '2099-01-01' },
  ),
  earlier({ method: 'tools/call' }),
  earlier({ method: 'tools/call', params: { name: 'nothing' } }),
  earlier({ method: 'tools/call', params: { name: '__proto__' } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: [] } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', arguments: null } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', task: { ttl: 1 } } }),
  earlier({ method: 'tools/call', params: { name: 'echo-row', requestState: 'x' } }),
  earlier({ method: 'tools/call', params: { ...params, _meta: { progressToken: 1.5 } } }),
  earlier({ method: 'tools/call', params: { ...params, _meta: { progressToken: null } } }),
  earlier({ method: 'tools/call', params: { ...params, _meta: { [HOST]: {} } } }),
  earlier({ method: 'tools/call', params: { ...params, _meta: { 'io.modelcontextprotocol/related-task': 1 } } }),
  {
    ...earlier({}),
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo-row","arguments":{"__proto__":{"a":1},"text":"ab"}}}',
  },
  {
    ...earlier({}),
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo-row","__proto__":{}}}',
  },
  earlier({ method: 'tools/call', id: undefined, params }),
  earlier({ method: 'notifications/progress', id: undefined, params: { _meta: { progressToken: {} } } }),
  current('ping'),
  current('initialize', initialize),
  current('tools/list', { cursor: 'x' }),
  current('tools/list', { cursor: null }),
  current('initialize', { protocolVersion: '2026-07-28' }),
  current('tools/call', { name: 'nothing' }),
  current('tools/call', params, { headers: { 'mcp-name': 'other' } }),
  current('tools/call', params, { headers: { 'mcp-name': '=?base64?ZWNoby1yb3c=?=' } }),
  current('tools/call', params, { headers: { 'mcp-method': 'tools/list' } }),
  current('tools/call', params, { headers: { 'mcp-protocol-version': '2025-11-25' } }),
  current('tools/call', params, { meta: { [VERSION]: '2027-01-01' } }),
  current('tools/call', params, { meta: { [VERSION]: 7 } }),
  current('tools/call', params, { meta: { [CAPABILITIES]: undefined } }),
  current('tools/call', params, { meta: { [CAPABILITIES]: { elicitation: 'x' } } }),
  current('tools/call', params, { meta: { [HOST]: { name: 'no version' } } }),
  current('tools/call', params, { meta: { [LEVEL]: 'loud' } }),
  current('tools/call', { ...params, inputResponses: {} }),
  current('tools/call', { ...params, requestState: 'forged' }),
  current('tools/call', { name: 'test_x_mcp_header', arguments: { region: 'eu' } }),
  current('subscriptions/listen', { notifications: {} }),
]

/** Nests as deeply as a message of 1 MiB can; `JSON.parse` still reads it. */
const deep = (message: Sent): Sent => ({
  ...message,
  body: message.body.replace('"deep"', `${'['.repeat(400_000)}${']'.repeat(400_000)}`),
})

const tooDeep: [place: string, sent: Sent][] = [
  ['_meta', earlier({ method: 'tools/list', params: { _meta: { 'example.com/x': 'deep' } } })],
  ['_meta', current('tools/list', {}, { meta: { 'example.com/x': 'deep' } })],
  ['capabilities', current('tools/list', {}, { meta: { [CAPABILITIES]: { experimental: { x: { y: 'deep' } } } } })],
  ['capabilities', earlier({ method: 'initialize', params: { ...initialize, capabilities: { extensions: 'deep' } } })],
  ['params', earlier({ method: 'tools/list', params: 'deep' })],
  ['params', current('tools/list', { more: 'deep' })],
  ['inputResponses', current('tools/call', { ...params, inputResponses: { more: 'deep' } })],
  ['a notification', earlier({ method: 'notifications/x', id: undefined, params: { more: 'deep' } })],
  ['a response', earlier({ result: { more: 'deep' } })],
  ['prompt arguments', earlier({ method: 'prompts/get', params: { name: 'x', arguments: { more: 'deep' } } })],
  ['a member', earlier({ method: 'ping', more: 'deep' })],
]

describe('MCP dispatcher compared with the library', () => {
  it('returns the same for the messages of the conformance suite, in both revisions', async () => {
    for (const sent of recorded) await expectTheSame(sent)
    // The dispatcher must not pass every message to the library.
    expect(recorded.filter(isPlain).length).toBeGreaterThan(50)
  })

  it.each(plain.map(sent => [sent.body.slice(0, 160), sent] as const))(
    'returns the same for a plain message: %s',
    async (_name, sent) => {
      expect(isPlain(sent)).toBe(true)
      await expectTheSame(sent)
      // The second list is served from memory.
      await expectTheSame(sent)
    },
  )

  it('drops null for an optional argument before the action, and keeps null that its schema has', async () => {
    for (const own of [undefined, null]) {
      const sent = current('tools/call', { name: 'echo-row', arguments: { text: null, own } })
      const { messages } = await expectTheSame(sent)
      expect(messages).toMatchObject([{ result: { structuredContent: own === undefined ? {} : { own } } }])
      expect(JSON.stringify(messages)).not.toContain('"text":null')
    }
  })

  it.each(strange.map(sent => [sent.body.slice(0, 160), sent] as const))(
    'returns the same for an unusual message: %s',
    async (_name, sent) => {
      await expectTheSame(sent)
    },
  )

  it.each(['*/*', 'application/json', 'application/*;q=0.8', 'text/html, */*;q=0.1', undefined])(
    'returns JSON for Accept: %s, even with progress and log messages',
    async accept => {
      const tells = { name: 'tell-and-ask', _meta: { progressToken: 1 } }
      for (const path of ['/mcp', BY_LIBRARY]) {
        for (const { headers, body } of [
          earlier({ method: 'tools/list' }),
          earlier({ method: 'tools/call', params: tells }),
          current('tools/list'),
          current(
            'tools/call',
            { name: 'tell-and-ask' },
            { meta: { progressToken: 1, [LEVEL]: 'debug', [CAPABILITIES]: { elicitation: {} } } },
          ),
        ]) {
          const answer = await plainRequest(application.origin + path, {
            method: 'POST',
            headers: {
              ...headers,
              'content-type': 'application/json',
              authorization: `Bearer ${STATIC_TOKEN}`,
              ...(accept === undefined ? {} : { accept }),
            },
            body,
          })
          expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
          expect(await answer.json()).toMatchObject({ id: 1, result: {} })
        }
      }
    },
  )

  it.each(tooDeep)('returns the same 400 for a message whose %s is nested too deeply', async (_place, sent) => {
    const { status, messages } = await expectTheSame(deep(sent))
    expect([status, messages]).toMatchObject([400, [{ error: { code: -32_600 } }]])
  })

  it('returns the same question before a destructive call, which does not run', async () => {
    const asks = { meta: { [CAPABILITIES]: { elicitation: {} } } }
    const { messages } = await expectTheSame(current('tools/call', { name: 'drop-row' }, asks))
    expect(messages).toMatchObject([{ result: { resultType: 'input_required' } }])
    const told = await expectTheSame(
      current('tools/call', { name: 'tell-and-ask' }, { meta: { progressToken: 1, ...asks.meta } }),
    )
    expect(told.messages).toMatchObject([{ method: 'notifications/progress' }, { result: { inputRequests: {} } }])
  })

  it.each([1, 2, 3, 4, 5])(
    'returns the same for recorded messages with a changed member or header, seed %i',
    async seed => {
      const random = randomNumbers(seed)
      const origins = [...plain, ...strange, ...recorded.filter(isPlain)]
      for (let round = 0; round < 60; round += 1) await expectTheSame(changed(pick(origins, random), random))
    },
  )
})

/** Returns numbers from 0 to below 1 that depend only on the seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!

const VALUES = [
  null,
  0,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  {},
  [{}],
  { a: { b: 1 } },
  'tools/list',
  '2026-07-28',
  '2025-06-18',
]
const NAMES = ['more', '_meta', 'params', 'id', 'method', 'cursor', 'arguments', VERSION, CAPABILITIES, HOST, LEVEL]

/** Returns the message with one field set, removed or added; sometimes changes a header instead. */
function changed(sent: Sent, random: () => number): Sent {
  const headers = { ...sent.headers }
  if (random() < 0.25) {
    const name = pick(['mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept'], random)
    if (random() < 0.5) delete headers[name]
    else headers[name] = pick(['2025-06-18', '2026-07-28', 'tools/call', 'echo-row', 'application/json', '*/*'], random)
    return { ...sent, headers }
  }
  const message: unknown = JSON.parse(sent.body)
  const place = pick(objectsIn(message), random)
  if (!place) return sent
  const name = random() < 0.6 ? pick([...Object.keys(place), 'more'], random) : pick(NAMES, random)
  if (random() < 0.3) delete place[name]
  else place[name] = pick(VALUES, random)
  return { headers, body: JSON.stringify(message) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectsIn = (value: unknown): Record<string, unknown>[] =>
  isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []

describe('EARLIER_REVISIONS', () => {
  it('equals the supported versions of the library', () => {
    expect([...EARLIER_REVISIONS]).toEqual(SUPPORTED_PROTOCOL_VERSIONS)
  })
})

describe('cached MCP list', () => {
  let hosts = 0
  // A new host each time, because a second consent for the same host would end the first.
  const tokenOf = async (person: Session, scope: Scope[], mayDelete = true): Promise<string> => {
    const clientId = `https://host-${(hosts += 1)}.example.com/client.json`
    const form = await approve(application.app, person, { scope, mayDelete, clientId })
    return (await answerTokenRequest(application.app, { form })).access_token
  }

  it('contains what this person and this host may see, regardless of earlier requests', async () => {
    const everything: Scope[] = ['mcp:read', 'mcp:write', 'mcp:apps']
    const asMember = { ...bob, orgId: ada.orgId }
    const tokens = [
      await tokenOf(ada, everything),
      await tokenOf(ada, everything, false),
      await tokenOf(ada, ['mcp:read']),
      await tokenOf(ada, ['mcp:write']),
      await tokenOf(ada, ['mcp:apps']),
      await tokenOf(ada, ['mcp:read', 'mcp:apps']),
      await tokenOf(asMember, everything),
      await tokenOf(asMember, ['mcp:read']),
    ]
    for (const method of LISTS) {
      const seen = new Set<string>()
      for (const sent of [earlier({ method }), current(method)]) {
        for (const token of [...tokens, ...tokens.toReversed()])
          seen.add(JSON.stringify((await expectTheSame(sent, token)).messages))
      }
      // One list for each distinct set of permissions, in each of the two revisions. Tools differ by role, page and deletion.
      expect([method, seen.size]).toEqual([method, { 'tools/list': 10, 'resources/list': 8 }[method] ?? 4])
    }
  })

  it('changes with the role on the next message', async () => {
    const carol = await aMember(application.app, { name: 'Carol' })
    await addTo(application.app, ada, carol, 'owner')
    const token = await tokenOf({ ...carol, orgId: ada.orgId }, ['mcp:read'])
    const names = async () => JSON.stringify((await expectTheSame(earlier({ method: 'tools/list' }), token)).messages)
    expect(await names()).toContain('own-row')
    await query(application.app, 'update org_members set role = ? where org_id = ? and user_id = ?', [
      'member',
      ada.orgId,
      carol.userId,
    ])
    expect(await names()).not.toContain('own-row')
  })
})

describe('MCP call without output for longer than the keep-alive interval', () => {
  beforeEach(() => {
    waiting = Promise.withResolvers()
    application.app.config.mcp.keepAliveInMs = 30
  })
  afterEach(() => {
    waiting.resolve()
    application.app.config.mcp.keepAliveInMs = 10_000
  })

  const start = (path: string, { headers, body }: Sent, accept = 'application/json, text/event-stream') =>
    fetch(application.origin + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...headers,
        accept,
        authorization: `Bearer ${STATIC_TOKEN}`,
      },
      body,
    })

  const calls: [name: string, sent: Sent, result: object][] = [
    [
      'a result',
      earlier({ method: 'tools/call', params: { name: 'wait-row' } }),
      { structuredContent: { waited: true } },
    ],
    ['a result', current('tools/call', { name: 'wait-row' }), { structuredContent: { waited: true } }],
    ['a failure', current('tools/call', { name: 'wait-row', arguments: { fails: true } }), { isError: true }],
    ['blocks', earlier({ method: 'tools/call', params: { name: 'wait-blocks' } }), { content: [{ text: 'waited' }] }],
    ['blocks', current('tools/call', { name: 'wait-blocks' }), { content: [{ text: 'waited' }] }],
  ]

  it.each(['/mcp', BY_LIBRARY].flatMap(path => calls.map(call => [path, ...call] as const)))(
    'at %s is kept alive until it ends with %s',
    async (path, _name, sent, result) => {
      const answer = await start(path, sent)
      expect(answer.status).toBe(200)
      expect(COMPARED.slice(0, 3).map(name => answer.headers.get(name))).toEqual([
        'text/event-stream',
        'no-store',
        'no',
      ])
      let text = ''
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (text.startsWith(': keepalive\n\n'.repeat(2))) waiting.resolve()
      }
      const [event = '', ...more] = text.replaceAll(': keepalive\n\n', '').split('\n\n')
      expect(more).toEqual([''])
      expect(event).toMatch(/^event: message\ndata: \{/)
      expect(JSON.parse(event.slice(event.indexOf('{')))).toMatchObject({ id: 1, result })
    },
  )

  it.each(['/mcp', BY_LIBRARY])('at %s waits for its JSON when the host does not accept a stream', async path => {
    const [, sent] = calls[0]!
    let isAnswered = false
    const json = start(path, sent, 'application/json').finally(() => (isAnswered = true))
    const kept = await start(path, sent)
    const reader = kept.body!.getReader()
    for (let comments = 0; comments < 3; comments++) await reader.read()
    expect(isAnswered).toBe(false)
    waiting.resolve()
    const answer = await json
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await answer.json()).toMatchObject({ id: 1, result: { structuredContent: { waited: true } } })
    await reader.cancel()
  })
})

describe('tools/call', () => {
  it.each(['echo-row', 'write-row', 'small-row', 'drop-row', 'guarded-row'])(
    'rejects deeply nested input of %s, and writes the same audit rows as other calls',
    async name => {
      const rows = () => countRows(application.app, `audit_log where action = '${name}'`)
      const deepen = ({ headers, body }: Sent): Sent => ({
        headers,
        body: body.replace('"DEEP"', '['.repeat(20_000) + ']'.repeat(20_000)),
      })
      const asked = { name, arguments: { deep: 'DEEP' } }
      const form = { [CAPABILITIES]: { elicitation: { form: {} } } }
      for (const sent of [
        earlier({ method: 'tools/call', params: asked }),
        current('tools/call', asked),
        current('tools/call', asked, { meta: form }),
      ]) {
        const before = await rows()
        const { status, messages } = await expectTheSame(deepen(sent))
        expect([status, JSON.stringify(messages)]).toEqual([
          200,
          expect.stringMatching(name === 'guarded-row' ? 'forbidden' : 'invalid-input'),
        ])
        // Repeated denials of one person are folded, and failed read-only calls leave no row.
        expect((await rows()) > before).toBe(!['echo-row', 'guarded-row'].includes(name))
      }
    },
  )

  it('writes the same audit row through the dispatcher and the library', async () => {
    const rows = () =>
      query(
        application.app,
        `select action, caller, via, user_id, org_id, outcome, error_code from audit_log
          where action in ('write-row', 'guarded-row') order by at, action`,
      )
    const before = (await rows()).length
    for (const name of ['write-row', 'guarded-row']) {
      const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }
      await sendMessage(application.origin, sent)
    }
    const dispatched = (await rows()).slice(before)
    expect(dispatched.map(({ action, caller, via }) => [action, caller, via])).toContainEqual([
      'write-row',
      'mcp',
      'a static token',
    ])
    await answerOf(BY_LIBRARY, earlier({ method: 'tools/call', params: { name: 'write-row' } }))
    const [byLibrary] = (await rows()).slice(-1)
    expect(byLibrary).toEqual(dispatched.find(({ action }) => action === 'write-row'))
  })
})
